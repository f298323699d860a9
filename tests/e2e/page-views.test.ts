import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, until } from '../support/programs.ts';
import { registerNode } from '../support/service.ts';

/** Views of the page that have an address of their own, in a real browser. Without chromium these tests are skipped. */

const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

async function opened() {
  const cwd = temporaryFolder();
  const { client, port } = await startServer(cwd);
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, new URL(root).origin);
  return { cwd, client, page, root, faults };
}

/** What is true of each view: axe finds nothing, and a narrow window does not scroll sideways. */
async function isSound(page: Page): Promise<void> {
  expect(await faultsOfAxe(page)).toEqual([]);
  await page.setViewportSize({ width: 380, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
  await page.setViewportSize({ width: 1000, height: 800 });
  expect(await page.title()).not.toContain('harmed');
  expect(await page.locator('img').count()).toBe(0);
}

describe.skipIf(CHROMIUM === undefined)('the views of the page (skipped where chromium is missing)', () => {
  it('a workflow file that is pasted shows its errors with line and column, and one without errors becomes a workflow', async () => {
    const { cwd, client, page, root, faults } = await opened();
    await page.goto(root);
    await page.getByRole('link', { name: 'New workflow' }).click();
    const area = page.getByRole('textbox', { name: 'Text of the workflow file' });
    await area.fill(
      `name: pasted\njobs:\n  - { name: first, comand: 'true' }\n  - { name: "${HARMFUL.replaceAll('"', "'")}" }\n`,
    );
    await page.getByText('prevent its creation').waitFor();
    await page.getByText('unknown field `comand`; did you mean "command"?').waitFor();
    await page.getByRole('button', { name: '3:20' }).click();
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe('name: pasted\njobs:\n'.length + 19);
    expect(await page.getByRole('button', { name: /^Create / }).count()).toBe(0);
    await isSound(page);

    // Nothing is created by looking.
    expect((await client.listWorkflows({ query: {} })).total_count).toBe(0);
    await area.fill("name: pasted\njobs:\n  - { name: 'job_{i}', command: 'true', parameters: { i: '1:3' } }\n");
    await page.getByText('pasted has 3 jobs and 0 files, and can be created.').waitFor();
    await page.getByRole('textbox', { name: 'Owner' }).fill('tester');
    await isSound(page);
    await page.getByRole('button', { name: 'Create 3 jobs' }).press('Enter');
    await page.getByText('are ready, and no runner is active').waitFor();
    expect(new URL(page.url()).hash).toBe('#/workflows/1');
    const { items } = await client.listWorkflows({ query: {} });
    expect(items).toMatchObject([{ name: 'pasted', user: 'tester' }]);

    // A file with its format in its name; the owner is known now.
    writeFileSync(
      join(cwd, 'of_a_file.json'),
      JSON.stringify({ name: 'of_a_file', jobs: [{ name: 'one', command: 'true' }] }),
    );
    await page.goto(`${root}#/new`);
    await page.locator('input[type=file]').setInputFiles(join(cwd, 'of_a_file.json'));
    await page.getByText('of_a_file has 1 job').waitFor();
    await page.getByRole('button', { name: 'Create 1 job' }).click();
    await page.getByRole('heading', { name: 'of_a_file' }).waitFor();
    expect((await client.listWorkflows({ query: { user: 'tester' } })).total_count).toBe(2);
    expect(faults).toEqual([]);
  });

  it('a workflow that the server refuses leaves nothing, and the page says why', async () => {
    const { client, page, root } = await opened();
    await page.goto(`${root}#/new`);
    await page
      .getByRole('textbox', { name: 'Text of the workflow file' })
      .fill('name: w\njobs: [{ name: one, command: "true" }]\n');
    await page.getByRole('textbox', { name: 'Owner' }).fill('tester');
    await page.route('**/bulk_jobs*', (route) =>
      route.fulfill({
        status: 422,
        contentType: 'application/json',
        body: '{"error":{"message":"this disk is full"}}',
      }),
    );
    await page.getByRole('button', { name: 'Create 1 job' }).click();
    await page.getByText(/Nothing was created: .*this disk is full/).waitFor();
    expect((await client.listWorkflows({ query: {} })).total_count).toBe(0);
  });

  it('events are shown as they are recorded, by category, and with pages', async () => {
    const { client, page, root, faults } = await opened();
    const { id } = await client.createWorkflow({ body: { name: HARMFUL, user: 'tester' } });
    await page.goto(`${root}#/workflows/${id}/events`);
    await page.getByText('No event was recorded.').waitFor();
    await isSound(page);
    const record = (data: object) =>
      client.createEvent({ body: { workflow_id: id, timestamp: 0, data: data as never } });
    await record({ category: HARMFUL, level: 'warning', message: 'the disk is full' });
    await page.getByText('the disk is full').waitFor();
    for (let index = 0; index < 50; index += 1) await record({ category: 'steps', index });
    await page.getByText('1 to 50 of 51').waitFor();
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await page.getByText('1 of the remaining 1', { exact: true }).waitFor();
    await page.getByText('the disk is full').waitFor();
    await isSound(page);
    // What is recorded meanwhile moves nothing, and a link shows the same.
    await record({ category: 'steps', index: 50 });
    await page.reload();
    await page.getByText('1 of the remaining 1', { exact: true }).waitFor();
    await page.getByText('the disk is full').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('1 to 50 of 52').waitFor();
    expect(await page.getByText('the disk is full').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Category' }).fill('nothing');
    await page.getByText('No event of this category was recorded.').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/workflows/${id}/events?category=nothing`);
    expect(faults).toEqual([]);
  });

  it('resources show what was asked for beside what was used, who used most memory, and the line that would fit', async () => {
    const { client, page, root, faults } = await opened();
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    await page.goto(`${root}#/workflows/${id}/resources`);
    await page.getByText('This workflow has no jobs.').waitFor();
    await isSound(page);
    const needs = {
      workflow_id: id,
      name: HARMFUL,
      num_cpus: 2,
      num_gpus: 0,
      num_nodes: 1,
      memory: '2g',
      runtime: 'PT1H',
    };
    const { id: needsId } = await client.createResourceRequirements({ body: needs });
    const job = { workflow_id: id, name: 'greedy', command: 'true', resource_requirements_id: needsId };
    const { id: jobId } = await client.createJob({ body: job });
    await page.getByText('not measured').first().waitFor();
    await client.initializeJobs({ params: { id } });
    const node = await registerNode({ client }, id);
    await client.claimNextJobs({ params: { id }, query: { limit: 1 } });
    await client.startJob({ params: { id: jobId, run_id: 0, compute_node_id: node } });
    const result = { workflow_id: id, job_id: jobId, run_id: 0, attempt_id: 1, compute_node_id: node, return_code: 0 };
    const use = { exec_time_minutes: 0.5, peak_memory_bytes: 5 * 2 ** 30, peak_cpu_percent: 50 };
    const body = { ...result, ...use, completion_time: '2026-03-01T12:00:00Z', status: 'completed' as const };
    await client.completeJob({ params: { id: jobId, status: 'completed', run_id: 0 }, body });
    await page.getByText('1 lacked something').waitFor();
    await page.getByText('250 %').waitFor();
    await page.getByText(`- { name: ${JSON.stringify(HARMFUL)}, num_cpus: 2, memory: 6g, runtime: PT1H }`).waitFor();
    await isSound(page);
    await page.getByRole('link', { name: 'greedy' }).press('Enter');
    await page.getByRole('heading', { name: 'greedy' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('files and user data are shown with what is known of them, and found by their names', async () => {
    const { client, page, root, faults } = await opened();
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    await page.goto(`${root}#/workflows/${id}`);
    await page.getByRole('link', { name: 'Files and data' }).click();
    await page.getByText('This workflow has no files.').waitFor();
    await page.getByText('This workflow has no user data.').waitFor();
    const [name, long] = [HARMFUL, 'x'.repeat(100_000)];
    await client.createFile({ body: { workflow_id: id, name, path: `/data/${HARMFUL}` } });
    await client.createFile({ body: { workflow_id: id, name: 'seen', path: 'out/seen', st_mtime: 1_700_000_000 } });
    await client.createUserData({ body: { workflow_id: id, name: 'config', data: { rate: 0.5, long } } });
    await client.createUserData({ body: { workflow_id: id, name: 'empty', is_ephemeral: true } });
    await page.reload();
    await page.getByText('not seen yet').waitFor();
    await page.getByText('"rate":0.5').waitFor();
    await page.getByText('no value yet').waitFor();
    expect(await page.getByText('2023').count()).toBe(1);
    await isSound(page);
    await page.getByRole('searchbox', { name: 'Name' }).fill('config');
    await page.getByText('This workflow has no files of this name.').waitFor();
    expect(await page.getByText('no value yet').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('a family of 5,000 jobs scrolls from end to end with few elements, by status too, and its place is a request', async () => {
    const { client, page, root, faults } = await opened();
    const { id } = await client.createWorkflow({ body: { name: 'wide', user: 'tester' } });
    const jobs = Array.from({ length: 5_000 }, (_, at) => ({ workflow_id: id, name: `work_${at}`, command: 'true' }));
    for (let at = 0; at < jobs.length; at += 1_000)
      await client.createJobs({ body: { jobs: jobs.slice(at, at + 1_000) } });
    await client.initializeJobs({ params: { id } });
    await page.goto(`${root}#/workflows/${id}`);
    await page.getByRole('table').getByRole('link', { name: 'work_#' }).press('Enter');
    const list = page.getByRole('group', { name: 'Table of the jobs of the family' });
    await list.getByRole('link', { name: 'work_0', exact: true }).waitFor();
    expect(await list.getByRole('table').getAttribute('aria-rowcount')).toBe('5001');
    expect(await list.getByRole('row').count()).toBeLessThan(30);
    await isSound(page);

    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/families/')) asked.push(new URL(request.url()).search);
    });
    await list.focus();
    await page.keyboard.press('End');
    await list.getByRole('link', { name: 'work_4999' }).waitFor();
    // Of the 25 pages those are read that are in view while the browser scrolls, which it does over some frames.
    expect(asked.filter((query) => query.includes('skip')).length).toBeLessThan(10);
    await list.getByRole('link', { name: 'work_4999' }).focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    await list.focus();
    await page.keyboard.press('Home');
    await list.getByRole('link', { name: 'work_0', exact: true }).waitFor();
    await list.getByRole('link', { name: 'work_0', exact: true }).focus();
    for (let row = 1; row <= 20; row += 1) await page.keyboard.press('ArrowDown');
    await until(
      () => page.evaluate('document.activeElement.textContent'),
      (text) => text === 'work_20',
      'the twentieth row',
    );

    await page.getByRole('button', { name: 'ready 5,000' }).click();
    expect(new URL(page.url()).hash).toMatch(/\?status=ready$/);
    await list.getByRole('link', { name: 'work_0', exact: true }).waitFor();
    await list.focus();
    await page.keyboard.press('End');
    await list.getByRole('link', { name: 'work_4999' }).waitFor();
    await page.goto(page.url().replace('ready', 'failed'));
    await page.getByText('No job of this family has this status.').waitFor();
    expect(faults).toEqual([]);
  });
});
