import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { said } from '../support/words.ts';

/** A server with a workflow whose jobs run these commands and have ended. */
async function ended(...commands: string[]) {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const jobs = commands.map((command, index) => ({ name: `j${index}`, command }));
  writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'f', jobs }));
  await torc(['--url', server.url, 'run', 'flow.json'], { cwd: folder });
  const cancel = (...words: string[]) => said([...words, 'cancel', '1', '--no-prompts'], { TORC_API_URL: server.url });
  const status = () => server.client.getWorkflowStatus({ params: { id: 1 } });
  return { ...server, cancel, status };
}

it('cancel of a workflow that has completed says so, ends with 0 and leaves it completed', async () => {
  const { cancel, status } = await ended('true');
  const before = await status();
  expect(await cancel()).toEqual({
    code: 0,
    stdout: 'Workflow 1 (f) had completed; nothing was changed\n',
    stderr: '',
  });
  expect(JSON.parse((await cancel('-f', 'json')).stdout)).toEqual({
    workflow_id: 1,
    status: 'already_complete',
    canceled_slurm_jobs: [],
    errors: [],
  });
  expect(await status()).toEqual(before);
});

it('cancel of a workflow that ended with failures leaves it failed, so that its failed jobs can run again', async () => {
  const { cancel, status } = await ended('true', 'false');
  expect(await cancel()).toMatchObject({ code: 0, stdout: 'Workflow 1 (f) had ended; nothing was changed\n' });
  expect(await status()).toMatchObject({ is_canceled: false, jobs_by_status: { failed: 1 } });
});

it('a second cancel says that the workflow was canceled before, and the first one cancels', async () => {
  const { client, cancel } = await ended('true');
  await client.createJob({ body: { workflow_id: 1, name: 'waits', command: 'true' } });
  expect(await cancel()).toMatchObject({ code: 0, stdout: 'Canceled workflow 1 (f)\n' });
  expect(await cancel()).toMatchObject({
    code: 0,
    stdout: 'Workflow 1 (f) was canceled before; nothing was changed\n',
  });
});

it('the route that cancels a workflow does so after its end too, as clients of Torc expect', async () => {
  const { client, status } = await ended('true');
  await client.cancelWorkflow({ params: { id: 1 } });
  expect(await status()).toMatchObject({ is_canceled: true });
});
