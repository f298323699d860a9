import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

const FLOW = `
name: flow
jobs:
  - {name: long, command: 'exec sleep 600'}
  - {name: after, command: 'true', depends_on: [long]}
`;

it('status of a workflow says whether a runner works on it, and otherwise the command that starts one', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const status = async () => {
    const { stdout } = await torc([...url, 'status', '1'], { cwd: folder });
    const { stdout: json } = await torc([...url, '-f', 'json', 'status', '1'], { cwd: folder });
    const { live_runners, lost_compute_nodes } = JSON.parse(json) as Record<string, unknown>;
    return { last: stdout.trimEnd().split('\n').at(-1), live_runners, lost_compute_nodes };
  };

  await torc([...url, 'create', 'flow.yaml'], { cwd: folder });
  expect(await status()).toEqual({
    last: `No runner works on this workflow. To start one: torc --url ${server.url} run 1`,
    live_runners: 0,
    lost_compute_nodes: [],
  });

  const run = start('torc', [...url, 'run', '1'], { cwd: folder });
  await until(
    async () => (await server.client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status.running,
    (running) => running === 1,
    'the job to run',
    60_000,
  );
  expect(await status()).toEqual({ last: '◷ Workflow in progress...', live_runners: 1, lost_compute_nodes: [] });

  run.child.kill('SIGKILL');
  await run.ended;
  expect(await status()).toEqual({
    last: `No runner works on this workflow: compute node 1 has ended without reporting it. To start one: torc --url ${server.url} run 1`,
    live_runners: 0,
    lost_compute_nodes: [1],
  });

  // Ends the job that the killed runner left.
  const again = start('torc', [...url, 'run', '1'], { cwd: folder });
  await again.says('is lost; its jobs were recovered');
  again.child.kill('SIGINT');
  await again.ended;
  expect(await status()).toMatchObject({
    last: expect.stringContaining(`torc --url ${server.url} run 1`),
    live_runners: 0,
    lost_compute_nodes: [],
  });
});

it('status of a workflow that ended with failures says the command that runs them again, and after a success none', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  const flow = (command: string) => `name: flow\njobs: [{name: only, command: '${command}'}]\n`;
  writeFileSync(join(folder, 'fails.yaml'), flow('exit 3'));
  writeFileSync(join(folder, 'works.yaml'), flow('true'));
  await torc([...url, 'run', 'fails.yaml'], { cwd: folder });
  await torc([...url, 'run', 'works.yaml'], { cwd: folder });
  const last = async (id: string) =>
    (await torc([...url, 'status', id], { cwd: folder })).stdout.trimEnd().split('\n').at(-1);
  expect(await last('1')).toBe(`To run the failed jobs again: torc --url ${server.url} run 1 --retry-failed`);
  expect(await last('2')).toBe('✓ Workflow complete');
});

const IN_SLURM = `
name: in_slurm
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00"}]
jobs: [{name: only, command: 'exit 3'}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm}]
`;

it('status of a workflow with Slurm schedulers names torc submit before its first submission, then torc recover, and never torc run', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  const call = async (...args: string[]) => (await torc([...url, ...args], { cwd: folder })).stdout.trimEnd();
  const last = async () => (await call('status', '1')).split('\n').at(-1);
  writeFileSync(join(folder, 'flow.yaml'), IN_SLURM);
  await call('create', 'flow.yaml');
  const start = 'No runner works on this workflow. To start one:';
  expect(await last()).toBe(`${start} torc --url ${server.url} submit 1`);
  await call('workflows', 'init', '1', '--no-prompts');
  expect(await last()).toBe(`${start} torc --url ${server.url} submit 1`);
  const explained = async () => call('jobs', 'explain', '1');
  expect(await explained()).toContain(`torc --url ${server.url} submit 1`);

  await server.client.claimWorkflowAction({ params: { id: 1, action_id: 1 }, body: {} });
  expect(await last()).toBe(`${start} torc --url ${server.url} recover 1`);
  expect(await explained()).toContain(`torc --url ${server.url} recover 1`);

  await torc([...url, 'run', '1'], { cwd: folder });
  expect(await last()).toBe(`To run the failed jobs again: torc --url ${server.url} recover 1`);
  await server.client.cancelWorkflow({ params: { id: 1 } });
  expect(await last()).toContain(
    `torc --url ${server.url} workflows reset-status 1 --failed-only --reinitialize, then torc --url ${server.url} recover 1`,
  );
});
