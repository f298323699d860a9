import { describe, expect, it } from 'vitest';
import { parseMemory } from '../../src/core/quantity/bytes.ts';
import { parseDuration } from '../../src/core/quantity/duration.ts';
import { sizeText } from '../../src/core/quantity/size-text.ts';
import { timeText } from '../../src/core/quantity/time-text.ts';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { registerNode } from '../support/service.ts';

/** The advice of the view Resources, in a real browser. Without chromium these tests are skipped. */

interface Spread {
  readonly jobs: number;
  readonly median: number;
  readonly max: number;
}
interface Amounts {
  readonly num_cpus: number;
  readonly memory: string;
  readonly runtime: string;
}
interface Family extends Readonly<Record<'memory_bytes' | 'cpu_percent' | 'seconds', Spread>> {
  readonly name: string;
  readonly jobs: number;
  readonly resource_requirements_name: string;
  readonly asked: Amounts;
  readonly advised: Amounts;
}

async function opened() {
  const cwd = temporaryFolder();
  const { client, port, url } = await startServer(cwd);
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, root.slice(0, -1));
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  const table = page.getByRole('group', { name: 'Table of the advice by family' });
  const corrected = async (...format: string[]) =>
    (await torc(['--url', url, ...format, 'workflows', 'correct-resources', String(id), '--dry-run'], { cwd })).stdout;
  return { client, page, root, faults, id, table, corrected };
}

type Opened = Awaited<ReturnType<typeof opened>>;

/** Jobs that ended: three alike that used little, one that used more memory than it asked for, and one that asked for nothing. */
async function ended({ client, id }: Opened): Promise<void> {
  const needs = { workflow_id: id, name: 'small', num_cpus: 2, num_gpus: 0, num_nodes: 1, memory: '1g' };
  const { id: small } = await client.createResourceRequirements({ body: { ...needs, runtime: 'PT1H' } });
  for (const name of ['part_1', 'part_2', 'part_3', 'merge', 'plain'])
    await client.createJob({
      body: {
        workflow_id: id,
        name,
        command: 'true',
        ...(name === 'plain' ? {} : { resource_requirements_id: small }),
      },
    });
  await client.initializeJobs({ params: { id } });
  const node = await registerNode({ client }, id);
  const attempt = { workflow_id: id, run_id: 0, attempt_id: 1, compute_node_id: node, return_code: 0 };
  const claimed = await client.claimNextJobs({ params: { id }, query: { limit: 5 } });
  for (const [at, job] of (claimed.jobs ?? []).entries()) {
    await client.startJob({ params: { id: job.id, run_id: 0, compute_node_id: node } });
    const mebibytes = job.name === 'merge' ? 3_000 : 200 + at;
    const body = {
      ...attempt,
      job_id: job.id,
      exec_time_minutes: at + 1.5,
      peak_cpu_percent: 90,
      avg_cpu_percent: 60 + at,
      peak_memory_bytes: mebibytes * 2 ** 20,
      completion_time: '2026-03-01T12:00:00Z',
      status: 'completed' as const,
    };
    await client.completeJob({ params: { id: job.id, status: 'completed', run_id: 0 }, body });
  }
}

/** The figures of a family as the page writes them. */
function rowsOf({ name, jobs, asked, advised, resource_requirements_name: needs, ...used }: Family) {
  const both = (text: (amounts: Amounts) => string) =>
    [asked, advised].map((amounts) => (needs === 'default' ? 'nothing' : text(amounts)));
  const resources = [
    ['Memory', used.memory_bytes, sizeText, both(({ memory }) => sizeText(parseMemory(memory)))],
    ['CPUs', used.cpu_percent, (percent: number) => (percent / 100).toFixed(1), both((each) => `${each.num_cpus}`)],
    ['Time', used.seconds, timeText, both(({ runtime }) => timeText(parseDuration(runtime)))],
  ] as const;
  return resources.map(([resource, spread, text, [before, after]]) =>
    [name, jobs, resource, spread.jobs, before, text(spread.median), text(spread.max), after].map(String),
  );
}

describe.skipIf(CHROMIUM === undefined)('the advice of the page (skipped where chromium is missing)', () => {
  it('the advice by family has the figures of correct-resources, and what was read stays until it is read again, or requirements change there', async () => {
    const given = await opened();
    const { page, root, id, table, corrected, faults } = given;
    await page.goto(`${root}#/workflows/${id}/resources`);
    await page.getByText('There are no jobs to compare.').waitFor();
    await ended(given);
    await page.getByText('1 lacked something').waitFor();
    expect(await table.count()).toBe(0);
    await page.getByRole('button', { name: 'Read again' }).click();
    await table.waitFor();

    const { families } = JSON.parse(await corrected('-f', 'json')) as { families: Family[] };
    const rows = await Promise.all(
      (await table.getByRole('row').all()).slice(1).map((row) => row.getByRole('cell').allInnerTexts()),
    );
    expect(rows.map((cells) => cells.slice(0, 8))).toEqual(families.flatMap(rowsOf));
    expect(rows.map(([name, , resource, ...cells]) => [name, resource, cells.at(-1)])).toEqual([
      ['part_#', 'Memory', 'lowered'],
      ['part_#', 'CPUs', 'lowered'],
      ['part_#', 'Time', 'lowered'],
      ['merge', 'Memory', 'raised, in requirements of their own: small_4g_PT1H'],
      ['merge', 'CPUs', 'stays'],
      ['merge', 'Time', 'stays'],
      ['plain', 'Memory', 'nothing to change, because they asked for nothing, and nothing limits them'],
      ['plain', 'CPUs', 'stays'],
      ['plain', 'Time', 'stays'],
    ]);
    // What the reader changes here is seen in the advice at once.
    await page.getByRole('button', { name: 'Change …' }).first().click();
    await page.getByLabel('Memory, such as 4g').fill('7g');
    await page.getByRole('button', { name: 'Change them' }).click();
    await table
      .getByRole('cell', { name: sizeText(parseMemory('7g')), exact: true })
      .first()
      .waitFor();
    const hours = /^Core hours: .*$/m.exec(await corrected())?.[0] ?? 'the command names no core hours';
    await page.getByText(hours, { exact: true }).waitFor();
    expect(await page.getByText(/^Nothing to change, because/).count()).toBe(0);
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });

  it('a workflow that needs no change has a sentence with the reason that the command names', async () => {
    const { client, page, root, id, table, corrected } = await opened();
    await client.createJob({ body: { workflow_id: id, name: 'one', command: 'true' } });
    await page.goto(`${root}#/workflows/${id}/resources`);
    await table.waitFor();
    const nothing = /^Nothing to change, because .*$/m.exec(await corrected())?.[0] ?? 'the command names no reason';
    await page.getByText(nothing, { exact: true }).waitFor();
  });

  it('a workflow of more than 10,000 jobs has the command in place of the advice', async () => {
    const { client, page, root, id, table } = await opened();
    const jobs = Array.from({ length: 10_001 }, (_, at) => ({ workflow_id: id, name: `job_${at}`, command: 'true' }));
    await client.createJobs({ body: { jobs } });
    await page.goto(`${root}#/workflows/${id}/resources`);
    await page.getByText('The page reads up to 10,000 jobs, and this workflow has 10,001.').waitFor();
    await page.getByText(`torc workflows correct-resources ${id} --dry-run`).waitFor();
    expect(await table.count()).toBe(0);
  });
});
