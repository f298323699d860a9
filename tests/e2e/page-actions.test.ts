import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { ended, registerNode, started } from '../support/service.ts';

/** What the page changes, in a real browser, each after it said what will happen. Without chromium these tests are skipped. */

async function opened() {
  const cwd = temporaryFolder();
  const { client, port, url } = await startServer(cwd);
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, new URL(root).origin);
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  return { cwd, client, url, page, root, faults, id };
}

describe.skipIf(CHROMIUM === undefined)('the actions of the page (skipped where chromium is missing)', () => {
  it('the requirements that jobs share are changed as they are filled in, and not with a memory that cannot be read', async () => {
    const { client, page, root, faults, id } = await opened();
    const needs = {
      workflow_id: id,
      name: 'small',
      num_cpus: 2,
      num_gpus: 1,
      num_nodes: 3,
      memory: '2g',
      runtime: 'PT1H',
    };
    const { id: needsId } = await client.createResourceRequirements({ body: needs });
    for (const name of ['one', 'two'])
      await client.createJob({ body: { workflow_id: id, name, command: 'true', resource_requirements_id: needsId } });
    const stored = () => client.getResourceRequirements({ params: { id: needsId } });
    await page.goto(`${root}#/workflows/${id}/resources`);
    await page.getByRole('button', { name: 'Change …' }).press('Enter');
    await page.getByText('2 jobs share them: 2 CPUs, 2g of memory and PT1H.').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Memory' }).fill('much');
    await page.getByRole('button', { name: 'Change them' }).click();
    await page.getByRole('alert').waitFor();
    expect(await stored()).toMatchObject(needs);
    await page.getByRole('textbox', { name: 'Memory' }).fill('3g');
    await page.getByRole('spinbutton', { name: 'CPUs' }).fill('4');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What the page does not show stays.
    expect(await stored()).toMatchObject({ ...needs, num_cpus: 4, memory: '3g' });
    await page.getByRole('group', { name: 'Table of what small asked for' }).getByText('3 GiB').waitFor();
    expect(faults).toEqual([]);
  });

  it('the priority of a job that waits is changed, and that of one that ended cannot be', async () => {
    const { client, url, cwd, page, root, faults, id } = await opened();
    const { id: jobId } = await client.createJob({ body: { workflow_id: id, name: 'one', command: 'echo kept' } });
    await client.initializeJobs({ params: { id } });
    await page.goto(`${root}#/jobs/${jobId}`);
    await page.getByRole('button', { name: 'Priority …' }).click();
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-1');
    await page.getByRole('button', { name: 'Change the priority' }).click();
    expect((await client.getJob({ params: { id: jobId } })).priority).toBe(0);
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('7');
    await page.getByRole('button', { name: 'Change the priority' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await client.getJob({ params: { id: jobId } })).toMatchObject({
      priority: 7,
      command: 'echo kept',
      status: 'ready',
    });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.getByText('completed', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Priority …' }).isDisabled()).toBe(true);
    expect(faults).toEqual([]);
  });

  it('a recovery shows what it would do before it does it, and what it did not show it does not do', async () => {
    const { client, page, root, faults, id } = await opened();
    const needs = {
      workflow_id: id,
      name: 'small',
      num_cpus: 1,
      num_gpus: 0,
      num_nodes: 1,
      memory: '40m',
      runtime: 'PT1H',
    };
    const { id: needsId } = await client.createResourceRequirements({ body: needs });
    for (const name of ['large', 'typo', 'fine'])
      await client.createJob({ body: { workflow_id: id, name, command: 'true', resource_requirements_id: needsId } });
    await client.resetStatus({ params: { id } });
    await client.initializeJobs({ params: { id } });
    // What a runner would report: the amounts of a real one depend on what else the machine does.
    const endings: Record<string, object> = {
      large: { status: 'failed', return_code: 137, peak_memory_bytes: 200 * 2 ** 20 },
      typo: { status: 'failed', return_code: 3 },
    };
    const node = await registerNode({ client }, id);
    const turn = (body: object) =>
      client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
    const { jobs } = await turn({ want: { limit: 3, prefetch: 0 } });
    await turn({ started: jobs.map(started) });
    await turn({ completed: jobs.map((job) => ({ ...ended(job), ...endings[job.name] })) });
    await client.updateComputeNode({ params: { id: node }, body: { is_active: false } });
    const runBefore = (await client.getWorkflow({ params: { id } })).run_id as number;

    await page.goto(`${root}#/workflows/${id}`);
    await page.getByRole('button', { name: 'Recover …' }).press('Enter');
    await page.getByText('1 job had too little memory: runs again').waitFor();
    await page.getByText('1 job failed by itself: stays as it is').waitFor();
    await page.getByText('1 job runs again in a new run, and 1 job stays as it is.').waitFor();
    const memory = page.getByRole('row', { name: /small: memory/ });
    expect(await memory.locator('del').innerText()).toBe('40 MiB');
    const planned = await client.getRecoveryPlan({ params: { id }, query: {} });
    expect(await faultsOfAxe(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    await page.setViewportSize({ width: 1000, height: 800 });
    // Nothing was changed by looking, and nothing is by leaving.
    await page.keyboard.press('Escape');
    expect(await client.getResourceRequirements({ params: { id: needsId } })).toMatchObject(needs);

    await page.getByRole('button', { name: 'Recover …' }).click();
    await page.getByRole('checkbox', { name: 'also jobs that failed' }).check();
    await page.getByText('2 jobs run again in a new run.').waitFor();
    await page.getByRole('checkbox', { name: 'also jobs that failed' }).uncheck();
    await page.getByRole('button', { name: 'Recover 1 job' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('is ready, and no runner is active').waitFor();
    expect((await client.getWorkflow({ params: { id } })).run_id).toBe(runBefore + 1);
    const { memory: after } = await client.getResourceRequirements({ params: { id: needsId } });
    expect(after).toBe(planned.changes[0]?.memory?.after);
    expect(
      (await client.listJobs({ query: { workflow_id: id } })).items.map(({ name, status }) => `${name} ${status}`),
    ).toEqual(['large ready', 'typo failed', 'fine completed']);
    expect(faults).toEqual([]);
  });

  it('a recovery cannot be asked for where no job failed, and a plan that became another one is refused', async () => {
    const { client, url, cwd, page, root, id } = await opened();
    for (const name of ['one', 'two']) await client.createJob({ body: { workflow_id: id, name, command: 'exit 3' } });
    await page.goto(`${root}#/workflows/${id}`);
    const button = page.getByRole('button', { name: 'Recover …' });
    await button.waitFor();
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'No job failed or was canceled',
    ]);
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await button.click();
    await page.getByText('No job runs again').waitFor();
    expect(await page.getByRole('button', { name: 'Recover', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'also jobs that failed' }).check();
    await page.getByRole('button', { name: 'Recover 2 jobs' }).waitFor();
    const { items } = await client.listJobs({ query: { workflow_id: id } });
    const { run_id: run } = await client.getWorkflow({ params: { id } });
    await client.manageStatusChange({
      params: { id: items[0]?.id as number, status: 'uninitialized', run_id: run as number },
    });
    await page.getByRole('button', { name: 'Recover 2 jobs' }).click();
    await page.getByText('1 job would run again, not 2').waitFor();
  });

  it('all jobs run again from the beginning after a question with their number, and without an answer none does', async () => {
    const { client, url, cwd, page, root, faults, id } = await opened();
    for (const name of ['one', 'two']) await client.createJob({ body: { workflow_id: id, name, command: 'true' } });
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    await page.goto(`${root}#/workflows/${id}`);
    await page.getByText('All 2 jobs completed.').waitFor();
    expect(await page.getByRole('button', { name: 'Run again …' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Run all again …' }).click();
    await page.getByText('all 2 jobs run again from the beginning, also the 2 that completed').waitFor();
    await page.getByRole('button', { name: 'No' }).click();
    const counts = async () => (await client.getWorkflowStatus({ params: { id } })).jobs_by_status;
    expect(await counts()).toMatchObject({ completed: 2, ready: 0 });
    await page.getByRole('button', { name: 'Run all again …' }).click();
    await page.getByRole('button', { name: 'Run all again', exact: true }).click();
    await page.getByText('are ready, and no runner is active').waitFor();
    expect(await counts()).toMatchObject({ completed: 0, ready: 2 });
    expect(faults).toEqual([]);
  });
});
