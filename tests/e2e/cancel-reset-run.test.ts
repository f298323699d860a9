import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { processesWith } from '../support/processes.ts';

/** A job that needs a while to end when it is asked to, and writes down when each attempt begins and ends. */
const SLOW_TO_END = `
name: slow
execution_config: {sigterm_lead_seconds: 20}
jobs:
  - name: slow
    command: |
      echo "begin $TORC_RUN_ID $TORC_ATTEMPT_ID" >> history
      test $TORC_RUN_ID = 1 || { echo "end $TORC_RUN_ID $TORC_ATTEMPT_ID" >> history; exit 0; }
      trap 'while [ ! -e release ]; do sleep 0.05; done; echo "end $TORC_RUN_ID $TORC_ATTEMPT_ID" >> history; exit 0' TERM
      while true; do sleep 0.05; done
`;

const history = (folder: string): string[] =>
  existsSync(join(folder, 'history')) ? readFileSync(join(folder, 'history'), 'utf8').trimEnd().split('\n') : [];

async function running(): Promise<{ folder: string; server: RunningServer; run: ReturnType<typeof start> }> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), SLOW_TO_END);
  const run = start('torc', ['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
  await until(
    () => history(folder).length,
    (lines) => lines === 1,
    'the job to begin',
  );
  await until(
    async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status.running,
    (count) => count === 1,
    'the server to know that it runs',
  );
  return { folder, server, run };
}

it('after a cancel a reset waits until the process has ended, says for what, and then the job runs once', async () => {
  const { folder, server, run } = await running();
  await server.client.cancelWorkflow({ params: { id: 1 } });
  const reset = start('torc', ['--url', server.url, 'workflows', 'reset-status', '1', '--no-prompts', '-r'], {
    cwd: folder,
  });
  await reset.says(`Waiting for 1 attempt of earlier jobs to end on ${hostname()} (compute node 1)`);
  expect(history(folder)).toEqual(['begin 1 1']);
  writeFileSync(join(folder, 'release'), '');
  expect((await reset.ended).code).toBe(0);
  await run.ended;
  expect((await torc(['--url', server.url, 'run', '1'], { cwd: folder })).stderr).toContain('1 job completed');
  expect(history(folder)).toEqual(['begin 1 1', 'end 1 1', 'begin 2 1', 'end 2 1']);
});

it('a reset by force starts the job again only after the process of the canceled attempt ended', async () => {
  const { folder, server, run } = await running();
  await server.client.cancelWorkflow({ params: { id: 1 } });
  const forced = ['workflows', 'reset-status', '1', '--no-prompts', '-r', '--force'];
  expect((await torc(['--url', server.url, ...forced], { cwd: folder })).code).toBe(0);
  const again = start('torc', ['--url', server.url, 'run', '1', '--poll-interval', '0.2'], { cwd: folder });
  await until(
    async () => (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).total_count,
    (nodes) => nodes === 2,
    'the second runner',
  );
  expect(history(folder)).toEqual(['begin 1 1']);
  writeFileSync(join(folder, 'release'), '');
  expect((await again.ended).stderr).toContain('1 job completed');
  await run.ended;
  expect(history(folder)).toEqual(['begin 1 1', 'end 1 1', 'begin 2 2', 'end 2 2']);
});

it('a reset after a cancel does not wait for a runner of this host that was killed', async () => {
  const { folder, server, run } = await running();
  const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
  const mark = items[0]?.process?.mark as string;
  run.child.kill('SIGKILL');
  await run.ended;
  await server.client.cancelWorkflow({ params: { id: 1 } });
  const reset = ['workflows', 'reset-status', '1', '--no-prompts', '-r'];
  const { code, stderr } = await torc(['--url', server.url, ...reset], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('A runner of this workflow is lost')]);
  expect(processesWith('TORC_RUNNER_MARK', mark)).toEqual([]);
  expect((await torc(['--url', server.url, 'run', '1'], { cwd: folder })).stderr).toContain('1 job completed');
  expect(history(folder)).toEqual(['begin 1 1', 'begin 2 1', 'end 2 1']);
});
