import { describe, expect, it } from 'vitest';
import { CHROMIUM, faultsOfAxe, openBrowser, watchPage } from '../support/browser.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';
import { registerNode } from '../support/service.ts';

/** Where the jobs of a workflow run, on the page, in a real browser. Without chromium these tests are skipped. */

const HARMFUL = '<img src=x onerror="document.title=\'harmed\'">';

async function opened() {
  const { client, port } = await startServer(temporaryFolder());
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
  const page = await (await openBrowser()).newPage({ viewport: { width: 1000, height: 800 } });
  const root = `http://127.0.0.1:${port}/`;
  const faults = watchPage(page, root.slice(0, -1));
  await page.goto(`${root}#/workflows/${id}`);
  return { client, id, page, root, faults };
}

describe.skipIf(CHROMIUM === undefined)(
  'the runners of a workflow on its page (skipped where chromium is missing)',
  () => {
    it('a workflow on which no runner worked says so, with the command that starts one', async () => {
      const { page, faults } = await opened();
      await page.getByRole('link', { name: 'Runners', exact: true }).press('Enter');
      await page.getByText('No runner has worked on this workflow.').waitFor();
      await page.getByText('torc run 1').waitFor();
      await page.getByText('Nothing was submitted to Slurm.').waitFor();
      await page.getByText('This workflow has no actions.').waitFor();
      expect(await faultsOfAxe(page)).toEqual([]);
      expect(faults).toEqual([]);
    });

    it('a workflow with a scheduler of Slurm on which no runner worked says what submits its allocations, and not torc run', async () => {
      const { client, id, page, faults } = await opened();
      await client.createSlurmScheduler({
        body: { workflow_id: id, name: 'short', account: 'a', nodes: 1, walltime: '01:00:00' },
      });
      await page.getByRole('link', { name: 'Runners', exact: true }).press('Enter');
      await page.getByText('Its runners come with allocations of a cluster.').waitFor();
      await page.getByText('torc slurm schedule-nodes 1').waitFor();
      expect(await page.getByText('torc run 1').count()).toBe(0);
      expect(faults).toEqual([]);
    });

    it('runners have their state and their use, allocations their job of Slurm and what holds them back, actions their outcome', async () => {
      const { client, id, page, root, faults } = await opened();
      const node = await registerNode({ client }, id);
      await registerNode({ client }, id);
      await client.updateComputeNode({
        params: { id: node },
        body: {
          is_active: false,
          duration_seconds: 90,
          avg_cpu_percent: 150,
          peak_cpu_percent: 390,
          peak_memory_bytes: 2 ** 30,
        },
      });
      const { id: scheduler } = await client.createSlurmScheduler({
        body: { workflow_id: id, name: 'short', account: 'a', nodes: 1, walltime: '01:00:00' },
      });
      const allocation = { workflow_id: id, scheduler_config_id: scheduler, scheduler_type: 'slurm' };
      await client.createScheduledComputeNode({ body: { ...allocation, scheduler_id: 4711, status: 'pending' } });
      await client.createScheduledComputeNode({
        body: { ...allocation, scheduler_id: 0, status: 'planned', held: `limit of ${HARMFUL}` },
      });
      await client.createWorkflowAction({
        params: { id },
        body: {
          workflow_id: id,
          trigger_type: 'on_workflow_complete',
          action_type: 'run_commands',
          action_config: { commands: ['tar c out'] },
        },
      });
      await page.goto(`${root}#/workflows/${id}/runners`);
      const row = (text: string) => page.getByRole('row').filter({ hasText: text });
      await row('ended').getByText('1m 30s').waitFor();
      for (const words of ['1.5', '3.9', '1 GiB']) await row('ended').getByText(words, { exact: true }).waitFor();
      expect(await row('running').count()).toBe(1);
      await row('4711').getByText('pending').waitFor();
      await row('not submitted').getByText('limit of <img').waitFor();
      await page.getByText(`torc status ${id}`).waitFor();
      await row('on workflow complete').getByText('tar c out').waitFor();
      await row('on workflow complete').getByText('waits', { exact: true }).waitFor();
      expect(await faultsOfAxe(page)).toEqual([]);
      await page.setViewportSize({ width: 380, height: 700 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
      expect(await page.locator('img').count()).toBe(0);
      expect(faults).toEqual([]);
    });
  },
);
