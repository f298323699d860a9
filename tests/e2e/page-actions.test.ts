import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

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
    await page.getByText('3 GiB').waitFor();
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
