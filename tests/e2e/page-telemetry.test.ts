import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { clusterTelemetry } from '../support/cluster-telemetry.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** The views of telemetry in a real browser, on a server that keeps it and on one that does not. Skipped without chromium. */

const CLUSTER = 'fox.test';
const HOUR = 3600;
const PASSWORD = 'velvet harbour 99 lanterns';

/** A server that keeps the telemetry of a cluster of four nodes, until a minute ago, with a job of bob on two of them. */
async function withTelemetry({ more = [], clusters = [CLUSTER] }: { more?: string[]; clusters?: string[] } = {}) {
  const cwd = temporaryFolder();
  for (const cluster of clusters) {
    expect((await torc(['sonar', 'clusters', 'add', cluster], { cwd })).code).toBe(0);
    const until = Math.floor(Date.now() / 1000) - 60;
    const wanted = { cluster, nodes: 4, until, seconds: 5 * HOUR, everySeconds: 600, job: { id: 4711, user: 'bob' } };
    writeFileSync(join(cwd, 'telemetry.json'), clusterTelemetry(wanted));
    expect((await torc(['sonar', 'ingest', 'telemetry.json'], { cwd })).code).toBe(0);
  }
  const server = await startServer(cwd, { more: ['--sonar-store', 'sonar.db', ...more] });
  return { cwd, ...server, ...(await opened(server.port)) };
}

async function opened(port: number) {
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  return { page, root, faults: watchPage(page, new URL(root).origin) };
}

/** What is true of each view: axe finds nothing, and a narrow window does not scroll sideways. */
async function isSound(page: Page): Promise<void> {
  expect(await faultsOfAxe(page)).toEqual([]);
  await page.setViewportSize({ width: 380, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
  await page.setViewportSize({ width: 1000, height: 800 });
}

const hashOf = (page: Page) => new URL(page.url()).hash;

describe.skipIf(CHROMIUM === undefined)('telemetry on the page (skipped where chromium is missing)', () => {
  it('the nodes of a cluster are a map by the hour with a table, by what is chosen, and lead to the series of a node', async () => {
    const { page, root, faults, program, cwd, port } = await withTelemetry();
    await page.goto(root);
    await page.getByRole('link', { name: 'Telemetry' }).press('Enter');
    await page.getByText(/^CPU of 4 nodes: on average \d+ %, at most \d+ %/).waitFor();
    await page.getByText('1 of 5 nodes sent no samples.').waitFor();
    const rows = page.getByRole('group', { name: 'Table of nodes' }).getByRole('row');
    expect(await rows.count()).toBe(1 + 5);
    expect(await rows.last().innerText()).toMatch(/^c5\s+down, drain/);
    await isSound(page);

    // What is chosen stands in the address, and a link with it shows the same.
    await page.getByRole('button', { name: 'GPU' }).click();
    await page.getByText(/^GPU of 1 node: on average/).waitFor();
    await page.getByRole('button', { name: '7 days' }).press('Enter');
    await page.getByRole('searchbox', { name: 'Node' }).fill('c1');
    await until(
      () => page.locator('.heat li').count(),
      (rows) => rows === 1,
      'one row',
    );
    const address = page.url();
    expect(hashOf(page)).toBe('#/telemetry/fox.test?measure=gpu&span=7d&node=c1');
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByText(/^GPU of 1 node: on average/).waitFor();
    expect(await page.locator('.heat li').allInnerTexts()).toEqual(['c1']);
    await page.getByRole('searchbox', { name: 'Node' }).fill('nothing');
    await page.getByText('No node has this name.').waitFor();
    // Before the first sample there is nothing to draw, and the page says so.
    await page.goto(`${root}#/telemetry/fox.test?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z`);
    await page.getByText('No use of CPU was measured in this time.').waitFor();
    await isSound(page);

    await page.goto(`${root}#/telemetry/fox.test`);
    await page.getByRole('link', { name: 'c1', exact: true }).press('Enter');
    for (const what of ['CPU', 'Memory', 'GPU'])
      await page.getByRole('img', { name: new RegExp(`^${what}: on average \\d+ %, at most \\d+ %`) }).waitFor();
    await page.getByText('32 cores').waitFor();
    await page.getByText('allocated in Slurm').waitFor();
    expect(await page.getByRole('group', { name: 'Table of the use of the node' }).getByRole('row').count()).toBe(
      // Each sample has a step of its own.
      1 + 5 * 6 + 1,
    );
    await isSound(page);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText('This node sent no samples in this time.').waitFor();
    expect(hashOf(page)).toMatch(/nodes\/c1\.fox\.test\?from=.*&to=/);
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByRole('img', { name: /^CPU: on average/ }).waitFor();

    // The server goes and comes back: what was shown stays.
    program.child.kill('SIGTERM');
    await program.ended;
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('has not answered since').waitFor();
    expect(await page.getByRole('img', { name: /^CPU: on average/ }).count()).toBe(1);
    await startServer(cwd, { port, more: ['--sonar-store', 'sonar.db'] });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('live', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('jobs lead to their profiles, and the page of a job to that of the job of Slurm in which it ran', async () => {
    const { client, page, root, faults } = await withTelemetry();
    await page.goto(`${root}#/telemetry/fox.test/jobs`);
    await page.getByRole('searchbox', { name: 'Job' }).fill('none');
    await page.getByText('No job matches this filter.').waitFor();
    await page.getByRole('searchbox', { name: 'Job' }).fill('bob');
    await page.getByRole('group', { name: 'Table of jobs' }).getByText('python').waitFor();
    await isSound(page);
    await page.getByRole('link', { name: '4711' }).press('Enter');
    const cpus = page.getByRole('img', { name: /^CPUs in use: on average \d+\.\d, at most \d+\.\d\./ });
    await cpus.waitFor();
    await page.getByText('2 nodes').waitFor();
    const ofBoth = await cpus.getAttribute('aria-label');
    await page.getByRole('group', { name: 'Table of processes' }).getByText('load-data').first().waitFor();
    await isSound(page);
    await page.getByRole('combobox', { name: 'Node' }).selectOption('c2');
    await until(
      () => cpus.getAttribute('aria-label'),
      (words) => words !== ofBoth,
      'the profile of one node',
    );
    expect(hashOf(page)).toContain('node=c2.fox.test');

    // A job of a workflow whose runner was in that allocation, and one whose runner was in none.
    const { id: workflow } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    const nodeBody = {
      workflow_id: workflow,
      hostname: 'c1',
      pid: 1,
      start_time: new Date(Date.now() - HOUR * 1000).toISOString(),
      is_active: true,
      num_cpus: 8,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'slurm',
    };
    const identity = { boot_id: 'b', pid_namespace: 'n', start_ticks: 1, mark: 'm', ledger: 'l' };
    const jobOn = async (name: string, process: object) => {
      const { id } = await client.createJob({ body: { workflow_id: workflow, name, command: 'true' } });
      const node = await client.createComputeNode({ body: { ...nodeBody, process: { ...identity, ...process } } });
      return { id, node: node.id };
    };
    const inSlurm = await jobOn('in_slurm', { slurm_job_id: '4711' });
    const elsewhere = await jobOn('elsewhere', {});
    await client.initializeJobs({ params: { id: workflow } });
    await client.claimNextJobs({ params: { id: workflow }, query: { limit: 2 } });
    for (const { id, node } of [inSlurm, elsewhere]) {
      await client.startJob({ params: { id, run_id: 0, compute_node_id: node } });
      const result = { workflow_id: workflow, job_id: id, run_id: 0, attempt_id: 1, compute_node_id: node };
      const end = { return_code: 0, exec_time_minutes: 60, completion_time: new Date().toISOString() };
      await client.completeJob({
        params: { id, status: 'completed', run_id: 0 },
        body: { ...result, ...end, status: 'completed' as const },
      });
    }
    await page.goto(`${root}#/jobs/${inSlurm.id}`);
    const link = page.getByRole('link', { name: 'Job 4711 of Slurm' });
    await link.waitFor();
    await isSound(page);
    await link.press('Enter');
    await cpus.waitFor();
    await page.goto(`${root}#/jobs/${elsewhere.id}`);
    await page.getByRole('heading', { name: 'Jobs that wait for it' }).waitFor();
    expect(await link.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('of several clusters each has an address, and a name or an address that is not there says so', async () => {
    const { page, root, faults } = await withTelemetry({ clusters: [CLUSTER, 'wolf.test'] });
    await page.goto(`${root}#/telemetry`);
    await page.getByRole('link', { name: 'wolf.test' }).press('Enter');
    await page.getByText(/^CPU of 4 nodes/).waitFor();
    expect(hashOf(page)).toBe('#/telemetry/wolf.test');
    await page.goto(`${root}#/telemetry/${encodeURIComponent('<img src=x onerror="document.title=1">')}`);
    await page.getByText('No node of this cluster sent anything.').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.goto(`${root}#/telemetry/%E0%A4%A`);
    await page.getByText('No node of this cluster sent anything.').waitFor();
    await page.goto(`${root}#/telemetry/fox.test/jobs/99`);
    await page.getByText('No samples of this job, or none that you may see').waitFor();
    await isSound(page);
    expect(faults).toEqual([]);
  });

  it('with access control a user sees nodes and no profile of the job of another user, after a login of the page alone', async () => {
    const users = temporaryFolder();
    for (const name of ['ada', 'bob'])
      await start('torc-htpasswd', ['add', '--file', 'users', '--cost', '4', name], {
        cwd: users,
        input: `${PASSWORD}\n`,
      }).ended;
    const { page, root, url, faults } = await withTelemetry({
      more: ['--auth-file', join(users, 'users'), '--require-auth', '--enforce-access-control'],
    });
    const asked = (headers: Record<string, string>) => fetch(`${url}/sonar/show/clusters`, { headers });
    // The browser would open a dialog of its own.
    expect((await asked({ 'X-Torc-Page': 'new' })).headers.get('www-authenticate')).toBeNull();
    expect((await asked({})).headers.get('www-authenticate')).toContain('Basic');
    await page.goto(`${root}#/telemetry/fox.test/jobs/4711`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Telemetry' }).count()).toBe(0);
    const logIn = async (name: string) => {
      await page.getByRole('textbox', { name: 'User' }).fill(name);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await logIn('ada');
    await page.getByText('No samples of this job, or none that you may see').waitFor();
    await page.getByRole('link', { name: 'Nodes' }).click();
    await page.getByText(/^CPU of 4 nodes/).waitFor();
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.getByText('No samples of jobs that you may see came in this time.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn('bob');
    await page.getByRole('link', { name: '4711' }).click();
    await page.getByRole('img', { name: /^CPUs in use/ }).waitFor();
    expect(faults).toEqual([]);
  });

  it('a server without telemetry has no such view, and its address says what would keep some', async () => {
    const { port } = await startServer(temporaryFolder());
    const { page, root, faults } = await opened(port);
    const answered = page.waitForResponse((response) => response.url().endsWith('/sonar/show/clusters'));
    await page.goto(root);
    expect(await (await answered).json()).toEqual({ items: [], is_kept: false });
    await page.getByText('No workflow yet').waitFor();
    expect(await page.getByRole('link', { name: 'Telemetry' }).count()).toBe(0);
    await page.goto(`${root}#/telemetry/fox.test`);
    await page.getByText('This server keeps no telemetry.').waitFor();
    await isSound(page);
    expect(faults).toEqual([]);
  });
});
