import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { ended, registerNode, started } from '../support/service.ts';

/** A job on its page, in a real browser. Without chromium these tests are skipped. */

const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

async function opened() {
  const cwd = temporaryFolder();
  const { client, port, url } = await startServer(cwd);
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, root.slice(0, -1));
  const job = async (name: string, fields: object = {}) =>
    (await client.createJob({ body: { workflow_id: id, name, command: 'true', ...fields } })).id;
  return { cwd, client, url, id, page, root, faults, job };
}

describe.skipIf(CHROMIUM === undefined)('a job on its page (skipped where chromium is missing)', () => {
  it('a job that waits says for which jobs, and a click leads to the first; that one says what its runner lacks', async () => {
    const { client, id, page, root, faults, job } = await opened();
    const first = await job(HARMFUL, { labels: ['gpu'] });
    const second = await job('second', { depends_on_job_ids: [first] });
    await client.initializeJobs({ params: { id } });
    await page.goto(`${root}#/jobs/${second}`);
    await page.getByText('It waits for 1 job of 1.').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('link', { name: `(job ${first}) is ready` }).press('Enter');
    await page.getByText('It is ready, and no runner is there.').waitFor();
    await page.getByText(`torc run ${id} --label gpu`).waitFor();

    // A runner comes, and the page says by itself what it lacks.
    const node = await registerNode({ client }, id);
    await page.getByText('It is ready, and the only runner cannot take it.').waitFor();
    await page.getByText(`runner ${node} on`).waitFor();
    await page.getByText('the job needs label gpu, it has no label').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    expect(await page.locator('img').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('a job that failed says why, one that was canceled for it leads to it, and one that completed has nothing to explain', async () => {
    const { client, cwd, url, id, page, root, faults, job } = await opened();
    const failing = await job('failing', { command: 'exit 127' });
    const after = await job('after', { depends_on_job_ids: [failing] });
    const fine = await job('fine');
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.goto(`${root}#/jobs/${after}`);
    await page.getByText('It was canceled because failing').waitFor();
    await page.getByRole('link', { name: `failing (job ${failing}) failed` }).click();
    await page.getByRole('list').getByText('the shell did not find the command').waitFor();
    await page.getByText('Correct the command, or load what it needs in its script.').waitFor();
    await page.goto(`${root}#/jobs/${fine}`);
    await page.getByRole('heading', { name: 'Asked for and used' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Why' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('a job that failed shows what it wrote to stderr first, and one click runs it again with what was canceled for it', async () => {
    const { client, cwd, url, id, page, root, faults, job } = await opened();
    const failing = await job('failing', { command: 'echo noise; echo the reason >&2; exit 3' });
    const after = await job('after', { depends_on_job_ids: [failing] });
    const fine = await job('fine');
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.goto(`${root}#/jobs/${failing}`);
    await page.getByText('the reason', { exact: true }).waitFor();
    const titles = page.getByRole('heading', { level: 2 });
    expect((await titles.allInnerTexts()).slice(0, 3)).toEqual(['Last lines', 'Why', 'Command']);
    await page.getByRole('button', { name: 'Run again …' }).press('Enter');
    await page.getByText('The job and all that depend on it become ready or blocked').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByText('It is ready, and no runner is there.').waitFor();
    const { items } = await client.listJobs({ query: { workflow_id: id } });
    expect(items.map((each) => [each.id, each.status])).toEqual([
      [failing, 'ready'],
      [after, 'blocked'],
      [fine, 'completed'],
    ]);
    expect(await page.getByRole('button', { name: 'Run again …' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('a job that failed runs again in the same run while another one goes on', async () => {
    const { client, id, page, root, faults, job } = await opened();
    const failing = await job('failing');
    await job('long');
    await client.resetStatus({ params: { id } });
    await client.initializeJobs({ params: { id } });
    const node = await registerNode({ client }, id);
    const turn = (body: object) =>
      client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
    const { jobs } = await turn({ want: { limit: 2, prefetch: 0 } });
    await turn({ started: jobs.map(started) });
    const failed = jobs.filter((each) => each.id === failing);
    await turn({ completed: failed.map((each) => ({ ...ended(each), status: 'failed', return_code: 3 })) });
    await page.goto(`${root}#/jobs/${failing}`);
    await page.getByRole('button', { name: 'Run again …' }).click();
    await page.getByText('as a new attempt of this run').waitFor();
    await page.getByRole('button', { name: 'Run again', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await client.getJob({ params: { id: failing } })).toMatchObject({ status: 'ready', attempt_id: 2 });
    expect((await client.getWorkflow({ params: { id } })).run_id).toBe(1);
    expect(faults).toEqual([]);
  });

  it('every attempt of every run is in a table with its host and why it ended, and a job that never ran has no table', async () => {
    const { client, cwd, url, id, page, root, faults, job } = await opened();
    const failing = await job('failing', { command: 'exit 3' });
    await client.initializeJobs({ params: { id } });
    await page.goto(`${root}#/jobs/${failing}`);
    await page.getByText('It is ready').waitFor();
    await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    const table = page.getByRole('group', { name: 'Table of attempts' });
    expect(await table.count()).toBe(0);
    await torc(['--url', url, 'run', String(id)], { cwd });
    await torc(['--url', url, 'run', String(id), '--retry-failed'], { cwd });
    await page.reload();
    await table.waitFor();
    const [node] = (await client.listComputeNodes({ query: { workflow_id: id } })).items;
    const rows = await table.locator('tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split('\t').map((cell) => cell.trim()))).toEqual(
      ['1', '0'].map((run) => [
        run,
        '1',
        'failed',
        '3',
        expect.stringMatching(/s$/),
        expect.any(String),
        node?.hostname,
        'the command itself ended with 3',
      ]),
    );
    expect(await faultsOfAxe(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('names of the field stand on the page as they are, in the graph and on a page of their own, and a narrow window does not scroll', async () => {
    const { client, id, page, root, faults, job } = await opened();
    const names = ['a b', 'it\'s "x"', '100% of $HOME \\n', 'größe=0,1;ß', `<b>&amp;</b>`, 'n'.repeat(200)];
    const ids = [];
    for (const name of names) ids.push(await job(name, { command: `echo ${name}` }));
    await client.initializeJobs({ params: { id } });
    await page.setViewportSize({ width: 380, height: 700 });
    for (const [at, name] of names.entries()) {
      await page.goto(`${root}#/jobs/${ids[at]}`);
      await page.getByRole('heading', { name, exact: true }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    }
    await page.goto(`${root}#/workflows/${id}`);
    await page.locator('.graph svg .node').first().waitFor();
    const titles = await page.locator('.graph svg title').allTextContents();
    for (const name of names) expect(titles.some((title) => title.startsWith(name))).toBe(true);
    expect(faults).toEqual([]);
  });

  it('a job whose allocation waits says what only the cluster knows, with the command that says it', async () => {
    const { client, id, page, root, faults, job } = await opened();
    const waiting = await job('waiting');
    const { id: scheduler } = await client.createSlurmScheduler({
      body: { workflow_id: id, name: 'short', account: 'a', nodes: 1, walltime: '01:00:00' },
    });
    await client.createScheduledComputeNode({
      body: {
        workflow_id: id,
        scheduler_config_id: scheduler,
        scheduler_type: 'slurm',
        scheduler_id: 4711,
        status: 'pending',
      },
    });
    await client.initializeJobs({ params: { id } });
    await page.goto(`${root}#/jobs/${waiting}`);
    await page.getByText('waits for an allocation that Slurm has not started').waitFor();
    await page.getByText('squeue --start -j 4711').waitFor();
    await page.getByText('The server does not know why its allocations have not started.').waitFor();
    await page.getByText(`torc jobs explain ${waiting}`).waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('a job of a workflow with time series has its CPU and memory over time beside what it asked for, also once its file is gone', async () => {
    const { client, cwd, url, page, root, faults } = await opened();
    const { id } = await client.createWorkflow({
      body: {
        name: 'measured',
        user: 'tester',
        resource_monitor_config: { sample_interval_seconds: 1, jobs: { enabled: true, granularity: 'time_series' } },
      },
    });
    const { id: needs } = await client.createResourceRequirements({
      body: { workflow_id: id, name: 'small', num_cpus: 2, memory: '200m', runtime: 'PT5M' },
    });
    const { id: jobId } = await client.createJob({
      body: { workflow_id: id, name: 'work', command: 'sleep 2', resource_requirements_id: needs },
    });
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.goto(`${root}#/jobs/${jobId}`);
    await page.getByText(/^CPUs in use: on average [\d.]+, at most [\d.]+; 2\.0 asked for \(dashed\)\.$/).waitFor();
    await page.getByText(/^Memory: on average .*; 200 MiB asked for \(dashed\)\.$/).waitFor();
    const rows = await page.getByRole('group', { name: 'Table of the samples' }).getByRole('row').count();
    // Its head, and at least one sample: how many there are depends on when the runner got a CPU.
    expect(rows).toBeGreaterThan(1);
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);

    const { path = '', hostname } = await client.getJobSamples({ params: { id: jobId } });
    rmSync(path as string);
    await page.reload();
    await page.getByText(`on ${hostname}; they are not shown here: it is not on the host of the server.`).waitFor();
    await page.getByText(`torc plot-resources ${path} --job-ids ${jobId}`).waitFor();
    expect(faults).toEqual([]);
  });

  it('a job of a workflow without time series says how to ask for them', async () => {
    const { client, cwd, url, id, page, root, faults, job } = await opened();
    const jobId = await job('work');
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.goto(`${root}#/jobs/${jobId}`);
    await page.getByText('because the workflow does not ask for them').waitFor();
    expect(await page.getByText('torc plot-resources').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
