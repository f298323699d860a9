import { expect, it } from 'vitest';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';
import { ended, registerNode, started } from '../support/service.ts';

it.skipIf(CHROMIUM === undefined)(
  'a workflow that runs has the rate of its ends and the time left on its page (skipped where chromium is missing)',
  async () => {
    const { client, port } = await startServer(temporaryFolder());
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    for (let at = 0; at < 40; at += 1)
      await client.createJob({ body: { workflow_id: id, name: `job_${at}`, command: 'true' } });
    await client.resetStatus({ params: { id } });
    await client.initializeJobs({ params: { id } });
    const node = await registerNode({ client }, id);
    const turn = (body: object) =>
      client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: node, ...body } });
    const { jobs } = await turn({ want: { limit: 30, prefetch: 0 } });
    await turn({ started: jobs.map(started) });
    const page = await (await openBrowser()).newPage();
    await page.goto(`http://127.0.0.1:${port}/#/workflows/${id}`);
    await page.getByText('30 jobs run on 1 runner').waitFor();
    expect(await page.getByText('to go').count()).toBe(0);
    for (const job of jobs.slice(0, 20)) await turn({ completed: [ended(job)] });
    await page.getByText(/^[\d.,]+\/s$/).waitFor();
    await page.getByText(/to go$/).waitFor();
  },
);
