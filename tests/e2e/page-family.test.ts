import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

it.skipIf(CHROMIUM === undefined)(
  'the jobs of a family have time and exit code, are found by name and sorted, also on a phone (skipped where chromium is missing)',
  async () => {
    const cwd = temporaryFolder();
    const { client, port, url } = await startServer(cwd);
    const jobs = Array.from({ length: 12 }, (_, at) => `  - {name: work_${at}, command: 'exit ${at === 7 ? 5 : 0}'}`);
    writeFileSync(join(cwd, 'flow.yaml'), `name: w\njobs:\n${jobs.join('\n')}\n`);
    await torc(['--url', url, 'run', 'flow.yaml'], { cwd });
    const [family] = (await client.getWorkflowGraph({ params: { id: 1 } })).families;
    const page = await (await openBrowser()).newPage({ viewport: { width: 390, height: 844 } });
    const root = `http://127.0.0.1:${port}/`;
    const faults = watchPage(page, root.slice(0, -1));
    await page.goto(`${root}#/workflows/1/families/${family?.key}`);
    const table = page.getByRole('group', { name: 'Table of the jobs of the family' });
    const names = async () =>
      (await table.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t')[0]?.trim());
    await expect.poll(names).toHaveLength(12);
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('exit code');
    await expect.poll(async () => (await names())[0]).toBe('work_7');
    const [first] = await table.locator('tbody tr').allInnerTexts();
    expect(first?.split('\t').map((cell) => cell.trim())).toEqual([
      'work_7',
      '1',
      'failed',
      '5',
      expect.stringMatching(/s$/),
      expect.any(String),
    ]);
    // It scrolls within itself, which a shadow shows; the page does not.
    expect(
      await table.evaluate(
        (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth > element.clientWidth,
      ),
    ).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('searchbox', { name: 'Name' }).fill('WORK_1');
    await expect.poll(names).toEqual(['work_1', 'work_10', 'work_11']);
    expect(await faultsOfAxe(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);
