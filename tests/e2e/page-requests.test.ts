import { expect, it } from 'vitest';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';

it.skipIf(CHROMIUM === undefined)(
  'no view asks for what its server refuses (skipped where chromium is missing)',
  async () => {
    const cwd = temporaryFolder();
    const { client, port, url } = await startServer(cwd);
    const { id } = await client.createWorkflow({ body: { name: 'w', user: 'tester' } });
    const made = [];
    for (const command of ['true', 'echo wrong >&2; exit 3'])
      made.push(await client.createJob({ body: { workflow_id: id, name: `job_${made.length}`, command } }));
    await client.initializeJobs({ params: { id } });
    await torc(['--url', url, 'run', String(id)], { cwd });
    const [family] = (await client.getWorkflowGraph({ params: { id } })).families;
    const page = await (await openBrowser()).newPage();
    const refused: string[] = [];
    page.on('response', (response) => void (response.status() >= 400 && refused.push(response.url())));
    const ofWorkflow = ['', '/resources', '/runners', '/events', '/files', `/families/${family?.key}`];
    const views = ['', 'new', 'telemetry', ...ofWorkflow.map((part) => `workflows/${id}${part}`)];
    for (const view of [...views, ...made.map((job) => `jobs/${job.id}`)]) {
      await page.goto(`http://127.0.0.1:${port}/#/${view}`);
      // The address behind # alone is no load, which telemetry is asked for with.
      await page.reload();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await expect.poll(() => page.getByText('Loading').count()).toBe(0);
    }
    expect(refused).toEqual([]);
  },
);
