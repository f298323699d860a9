import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownIdentity, type ProcessIdentity } from '../../src/cluster/host/facts.ts';
import { initialized } from '../support/initialized.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** A server with a workflow whose start runs this command in the output directory. */
async function withAction(command: string): Promise<{ folder: string; server: RunningServer }> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const spec = {
    name: 'acting',
    jobs: [{ name: 'job', command: 'echo job >> said' }],
    actions: [{ trigger_type: 'on_workflow_start', action_type: 'run_commands', commands: [command] }],
  };
  writeFileSync(join(folder, 'flow.json'), JSON.stringify(spec));
  await initialized(server, folder, 'flow.json');
  return { folder, server };
}

const said = (folder: string): string[] =>
  existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8').trimEnd().split('\n') : [];

const listed = async ({ url }: RunningServer, folder: string) =>
  (await torc(['--url', url, 'workflows', 'list-actions', '1'], { cwd: folder })).stdout;

it('an action that a runner claimed before it was killed, and had not begun, is carried out by the next runner', async () => {
  const { folder, server } = await withAction('echo action >> ../said');
  const ledger = join(folder, 'claimed.ledger');
  // The claim of a runner that is gone: its process id is beyond all that the kernel gives.
  const { boot_id, pid_namespace } = ownIdentity() as ProcessIdentity;
  const node = await server.client.createComputeNode({
    body: {
      workflow_id: 1,
      hostname: hostname(),
      pid: 2 ** 30,
      start_time: new Date().toISOString(),
      is_active: true,
      num_cpus: 1,
      memory_gb: 1,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
      process: { boot_id, pid_namespace, start_ticks: 1, mark: 'gone', ledger },
    },
  });
  const head = { workflow_id: 1, run_id: 1, compute_node_id: node.id };
  writeFileSync(ledger, `torc-ledger-1 ${JSON.stringify(head)}\n`);
  const claim = { params: { id: 1, action_id: 1 }, body: { compute_node_id: node.id, tells_end: true } };
  await server.client.claimWorkflowAction(claim);
  expect(await listed(server, folder)).toContain('Claimed');

  const { code, stderr } = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('actions_armed=1')]);
  expect(said(folder)).toEqual(['action', 'job']);
  expect(await listed(server, folder)).toContain('Executed');
});

it('an action whose runner was killed while its commands ran is not run again, and is shown as interrupted', async () => {
  const { folder, server } = await withAction('echo action >> ../said; sleep 600');
  const run = start('torc', ['--url', server.url, 'run', '1'], { cwd: folder });
  await until(
    () => said(folder),
    (lines) => lines.includes('action'),
    'the action to begin',
  );
  run.child.kill('SIGKILL');
  await run.ended;

  const { code, stderr } = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('actions_interrupted=1')]);
  expect(said(folder)).toEqual(['action', 'job']);
  expect(await listed(server, folder)).toContain('Interrupted');
  const status = await torc(['--url', server.url, 'status', '1'], { cwd: folder });
  expect(status.stdout).toMatch(/Interrupted actions .*:\n {2}1: run_commands on_workflow_start/);
});

it('an action that ran is shown as executed, and one whose command failed as failed', async () => {
  const { folder, server } = await withAction('test -e ../job_said_nothing');
  await torc(['--url', server.url, 'run', '1'], { cwd: folder });
  expect(await listed(server, folder)).toContain('Failed');
  const status = await torc(['--url', server.url, 'status', '1'], { cwd: folder });
  expect(status.stdout).not.toContain('Interrupted');
});
