/**
 * Takes pictures of every view of the page, light and dark, at 1,440 and 380 pixels, of a workflow that runs: look at them after a
 * change of the page. `node scripts/page-pictures.ts [FOLDER]`; wants chromium.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (CHROMIUM === undefined) throw new Error('Pictures need chromium.');
const target = resolve(process.argv[2] ?? '.build/page');
mkdirSync(target, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'torc-pictures-'));
const bin = resolve(import.meta.dirname, '../bin');

const WORKFLOW = `name: variant-calling
project: cohort-7
jobs:
  - name: fetch_reference
    command: sleep 0.1
  - name: align_{sample}
    command: |
      echo "read 1204 sequences of sample {sample}"
      if [ {sample} = 7 ] || [ {sample} = 19 ]; then echo "KeyError: 'read group of sample {sample}'" >&2; exit 3; fi
    depends_on: [fetch_reference]
    parameters: { sample: "1:24" }
  - name: call_{sample}
    command: sleep 600
    depends_on: ["align_{sample}"]
    parameters: { sample: "1:24" }
  - name: annotate
    command: "true"
    depends_on: [fetch_reference]
  - name: merge
    command: "true"
    depends_on_regexes: ["^call_.*"]
`;

const children: ChildProcess[] = [];
const run = (program: string, args: readonly string[]) => {
  const child = spawn(process.execPath, [join(bin, `${program}.mjs`), ...args], {
    cwd: folder,
    env: { ...process.env, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
};

try {
  const server = run('torc-server', ['run', '--port', '0', '--database', 'torc.db', '--log-level', 'warn']);
  const [first] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const root = `http://127.0.0.1:${/TORC_SERVER_PORT=(\d+)/.exec(first.toString())?.[1]}/`;
  const url = `${root}torc-service/v1`;
  writeFileSync(join(folder, 'workflow.yaml'), WORKFLOW);
  writeFileSync(join(folder, 'other.yaml'), 'name: nightly-report\njobs: [{ name: report, command: "true" }]\n');
  await once(run('torc', ['--url', url, 'run', 'other.yaml']), 'exit');
  run('torc', ['--url', url, 'run', 'workflow.yaml', '--num-cpus', '40']).stdout?.resume();

  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 380]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 }, deviceScaleFactor: 1 });
      const picture = (name: string) =>
        page.screenshot({ path: join(target, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      await page.goto(root);
      await page.getByText('2 failed').first().waitFor();
      await picture('workflows');
      await page.getByRole('link', { name: 'variant-calling' }).click();
      await page.getByText('KeyError').first().waitFor();
      await page.getByRole('link', { name: 'merge' }).first().waitFor();
      await picture('workflow');
      await page.getByRole('button', { name: 'Cancel …' }).click();
      await picture('confirm');
      await page.getByRole('button', { name: 'No' }).click();
      await page.getByRole('link', { name: 'align_7' }).first().click();
      await page.getByText('KeyError').first().waitFor();
      await page.getByText('Jobs that wait for it').waitFor();
      await picture('job');
      await page.goBack();
      await page.getByRole('table').getByRole('link', { name: 'align_#' }).click();
      await page.getByRole('link', { name: 'align_24' }).waitFor();
      await picture('family');
      await page.close();
    }
  }
  await browser.close();
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit')));
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${target}\n`);
