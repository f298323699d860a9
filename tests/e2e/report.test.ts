import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

const FLOW = `name: rep
project: climate
resource_requirements: [{ name: small, num_cpus: 1, memory: 100m, runtime: PT5M }]
jobs:
  - { name: prepare, command: 'true', resource_requirements: small }
  - { name: 'align_{i}', command: 'true', depends_on: [prepare], parameters: { i: '1:4' }, resource_requirements: small }
  - { name: '<script>alert(1)</script>', command: 'echo "<img src=x onerror=alert(2)>" >&2; exit 3' }
`;

describe('torc report', () => {
  let folder: string;
  const call = (...args: string[]) => torc(['-s', ...args], { cwd: folder });
  beforeAll(async () => {
    folder = temporaryFolder();
    writeFileSync(join(folder, 'rep.yaml'), FLOW);
    await call('run', 'rep.yaml');
  });

  it('the JSON of a report says how the workflow ended, what failed and with which last lines, and what it took', async () => {
    const { stdout } = await call('report', 'rep', '-f', 'json', '--grams-per-kwh', '300');
    const { reports } = JSON.parse(stdout) as { reports: Record<string, unknown>[] };
    expect(reports).toMatchObject([
      {
        workflow: { name: 'rep', project: 'climate' },
        verdict: { state: 'failed', completed: 5, failed: 1, jobs: 6 },
        time: { attempts: 6, repeated_attempts: 0 },
        totals: { energy: { source: 'model', grams_co2: expect.any(Number) } },
        graph: { families: [{ name: 'prepare' }, { name: '<script>alert(1)</script>' }, { name: 'align_#', jobs: 4 }] },
        failures: { groups: [{ return_code: 3, last_lines: ['<img src=x onerror=alert(2)>'] }] },
        runners: [{ attempts: 6 }],
        file: { text: FLOW.trimEnd(), is_cut: false },
      },
    ]);
  });

  it('workflows of a project are one report, and what fits nothing is refused with what would', async () => {
    const { stdout } = await call('report', '--project', 'climate', '--since', '2020-01-01');
    expect(stdout).toContain('# rep (workflow 1)');
    const none = await call('report', '--project', 'climate', '--since', '2999-01-01');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('no workflow of project climate was created since'),
    ]);
    expect((await call('report', '--project', 'climate', '--since', 'May 1')).stderr).toContain(
      'expected a date such as',
    );
    expect((await call('report', '1', '--project', 'climate')).stderr).toContain('by ids, or by --project, not both');
    expect((await call('report', '1', '-o', 'x.pdf')).stderr).toContain('use .html, .md or .json, or --format');
    expect((await call('report', '1', '--since', 'May')).stderr).toContain(
      '--since chooses among the workflows of --project',
    );
  });

  it('two workflows or two runs are compared, and one alone or one with itself is refused', async () => {
    const { stdout } = await call('compare', '1', '--runs', '1,0', '-f', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      sides: [
        { jobs: 6, failed: 1 },
        { jobs: 6, ended: 0 },
      ],
    });
    expect((await call('compare', '1')).stderr).toContain('give two workflows, or one workflow and --runs 1,2');
    expect((await call('compare', '1', '1')).stderr).toContain('would be compared with itself');
    expect((await call('compare', '1', '--runs', '1,9')).stderr).toContain('workflow 1 has no run 9');
  });

  it('after a run that repeated what had failed, a report has the use of all jobs and the attempts of both runs', async () => {
    await call('run', '1', '--retry-failed');
    const { stdout } = await call('report', '1', '-f', 'json');
    const { reports } = JSON.parse(stdout) as { reports: Record<string, unknown>[] };
    expect(reports).toMatchObject([
      { workflow: { run_id: 2 }, verdict: { completed: 5, failed: 1 }, time: { attempts: 7, repeated_attempts: 1 } },
    ]);
    const { families } = (reports[0] ?? {})['resources'] as { families: { name: string; ended: number }[] };
    expect(families.reduce((sum, { ended }) => sum + ended, 0)).toBe(6);
  });

  it.skipIf(CHROMIUM === undefined)(
    'the HTML opens offline, asks for nothing, runs nothing, prints, and axe finds no fault in light and in dark',
    async () => {
      await call('report', 'rep', '-o', 'rep.html');
      const path = join(folder, 'rep.html');
      expect(readFileSync(path, 'utf8')).not.toMatch(/<(?:script|link|img|iframe|object)/);
      const browser = await openBrowser();
      const page = await browser.newPage({ offline: true, viewport: { width: 390, height: 800 } });
      const faults = watchPage(page, 'null');
      page.on('dialog', (dialog) => {
        faults.push(dialog.message());
        void dialog.dismiss();
      });
      await page.goto(`file://${path}`);
      expect(await page.locator('h1').textContent()).toBe('rep (workflow 1)');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await faultsOfAxe(page)).toEqual([]);
      expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
      expect(faults).toEqual([]);
    },
  );
});
