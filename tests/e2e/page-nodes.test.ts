import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

/** The nodes of a workflow as a map, in a real browser. Without chromium these tests are skipped. */

const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

async function opened(command: string) {
  const cwd = temporaryFolder();
  const { client, port, url } = await startServer(cwd);
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  const { id: needs } = await client.createResourceRequirements({
    body: { workflow_id: id, name: 'wide', num_cpus: 2, memory: '1g', runtime: 'PT1M' },
  });
  await client.createJob({ body: { workflow_id: id, name: 'one', command, resource_requirements_id: needs } });
  await client.initializeJobs({ params: { id } });
  const run = () => torc(['--url', url, 'run', String(id), '--num-cpus', '4', '--memory-gb', '4'], { cwd });
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, root.slice(0, -1));
  return { client, id, page, root, faults, run };
}

describe.skipIf(CHROMIUM === undefined)('the nodes of a workflow (skipped where chromium is missing)', () => {
  it('a workflow whose jobs have not started has no map, and one that ran has its nodes with what jobs took of them', async () => {
    const { client, id, page, root, faults, run } = await opened('sleep 1');
    await page.goto(`${root}#/workflows/${id}/resources`);
    await page.getByText('No job of this run has started.').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);

    // A node that no job runs on, whose name does harm where it is not a text.
    const idle = {
      workflow_id: id,
      hostname: HARMFUL,
      pid: 1,
      start_time: new Date().toISOString(),
      is_active: true,
      num_cpus: 8,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
    };
    await client.createComputeNode({ body: idle });
    await run();
    const { items } = await client.listComputeNodes({ query: { workflow_id: id } });
    const hostname = items.find((node) => node.hostname !== HARMFUL)?.hostname ?? '';
    await page.reload();
    await page.getByText(/^CPUs of 2 nodes, as running jobs asked for them: on average 2[0-9] % taken/).waitFor();
    await page.getByText('1 node had no job that asked for any.').waitFor();
    const table = page.getByRole('group', { name: 'Table of the nodes' });
    const row = table.getByRole('row').filter({ hasText: hostname.split('.')[0] as string });
    await row.getByText(/^50 %, /).waitFor();
    await table.getByRole('row').filter({ hasText: 'img' }).getByText('0 %').waitFor();
    expect(await faultsOfAxe(page)).toEqual([]);

    // Memory, by the keyboard; the address has it, so a link shows the same.
    await page.getByRole('button', { name: 'Memory', exact: true }).press('Enter');
    await page.getByText(/^Memory of 2 nodes/).waitFor();
    await row.getByText('4 GiB').waitFor();
    await row.getByText(/^25 %, /).waitFor();
    expect(page.url()).toContain('nodes=memory');
    await page.getByRole('button', { name: 'GPUs', exact: true }).click();
    await page.getByText('No node of this run has GPUs.').waitFor();
    await page.goto(`${root}#/workflows/${id}/resources?nodes=memory`);
    await row.getByRole('link').press('Enter');
    await page.getByRole('heading', { name: 'Over time' }).waitFor();
    expect(page.url()).toContain('by=runner');

    await page.goto(`${root}#/workflows/${id}/resources`);
    await table.waitFor();
    await page.setViewportSize({ width: 380, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toContain('harmed');
    expect(faults).toEqual([]);
  });
});
