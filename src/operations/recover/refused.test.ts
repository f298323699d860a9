import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { started, statuses, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { ownIdentity, type ProcessIdentity } from '../../cluster/host/facts.ts';
import { slurmRunFields } from '../../core/allocation/run-fields.ts';
import { diagnoseRecovery } from './diagnose.ts';
import { recoverWorkflow } from './recover-workflow.ts';
import { type RecoverTools, recoverToolsOf } from './tools.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

const START = Date.parse('2026-03-01T12:00:00Z');
const RUN = { submittedAtMs: START, startedAtMs: START, restarts: 0 };
const BEHIND_MS = 180_000;

/** A workflow with these jobs, and no runner. */
async function workflowWith(...names: readonly string[]): Promise<number> {
  const { id, nodeId } = await workflowOf(
    service,
    names.map((name) => ({ name })),
  );
  await service.client.deleteComputeNode({ params: { id: nodeId } });
  return id;
}

/** A runner in an allocation, with a running job, and the record of the allocation. */
async function runnerIn(workflowId: number, slurmJobId: number, clockMs: number) {
  const { client } = service;
  const { id: nodeId } = await client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: `n${slurmJobId}`,
      pid: 1,
      start_time: new Date(START + clockMs).toISOString(),
      is_active: true,
      num_cpus: 1,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'slurm',
      scheduler: { type: 'slurm', slurm_job_id: String(slurmJobId), ...slurmRunFields(RUN) },
    },
  });
  const scheduler = { workflow_id: workflowId, name: `s${slurmJobId}`, account: 'a', nodes: 1, walltime: '1:00:00' };
  const { id: configId } = await client.createSlurmScheduler({ body: scheduler });
  await client.createScheduledComputeNode({
    body: {
      workflow_id: workflowId,
      scheduler_id: slurmJobId,
      scheduler_config_id: configId,
      scheduler_type: 'slurm',
      status: 'active',
    },
  });
  const turn = (body: object) =>
    client.exchange({ params: { id: workflowId }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want: { limit: 1, prefetch: 0 } });
  await turn({ started: jobs.map(started) });
}

/** A runner of this machine that was killed, with a running job. */
async function killedRunner(workflowId: number) {
  const { client } = service;
  const identity = ownIdentity() as ProcessIdentity;
  const { id: nodeId } = await client.createComputeNode({
    body: {
      workflow_id: workflowId,
      hostname: hostname(),
      pid: spawnSync('true').pid,
      start_time: new Date(START).toISOString(),
      is_active: true,
      num_cpus: 1,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
      process: {
        boot_id: identity.boot_id,
        pid_namespace: identity.pid_namespace,
        start_ticks: 1,
        mark: 'm',
        ledger: '/nowhere',
      },
    },
  });
  const turn = (body: object) =>
    client.exchange({ params: { id: workflowId }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want: { limit: 1, prefetch: 0 } });
  await turn({ started: jobs.map(started) });
}

/** Where squeue prints these lines: `%i|%T|%S|%M|%A|%V|`. */
function tools(lines: readonly string[]): RecoverTools {
  const outputDir = temporaryFolder();
  const squeue = join(outputDir, 'squeue');
  writeFileSync(squeue, `#!/bin/sh\n${lines.map((line) => `echo '${line}'`).join('\n')}\n`);
  chmodSync(squeue, 0o755);
  const unused = () => Promise.reject(new Error('not to be called'));
  return {
    client: service.client,
    environment: { TORC_FAKE_SQUEUE: squeue, TORC_FAKE_SACCT: '/bin/true', TORC_FAKE_SCONTROL: '/bin/false' },
    outputDir,
    hosts: unused,
    url: 'http://localhost',
    submitTools: unused,
    site: unused,
    onNotice() {},
    onWarning() {},
    onPreparation() {},
  };
}

const options = {
  memoryMultiplier: 1.5,
  runtimeMultiplier: 1.5,
  retriesUnknown: false,
  recoveryHook: undefined,
  agent: undefined,
};
const recover = (workflowId: number, lines: readonly string[]) =>
  recoverWorkflow(tools(lines), { workflowId, command: 'recover', options });

/** Everything that is stored, but for the lease of the command. */
function stored(): Record<string, unknown> {
  const { db } = service.store;
  const tables = db
    .prepare<{}, { name: string }>("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    .all({});
  return Object.fromEntries(
    tables
      .filter(({ name }) => name !== 'recovery_lease')
      .map(({ name }) => [name, db.prepare<{}, object>(`select * from ${name}`).all({})]),
  );
}

const seconds = (ms: number) => Math.floor(ms / 1000);
const running = (job: number, startMs: number) =>
  `${job}|RUNNING|${seconds(startMs)}|1:00|${job}|${seconds(RUN.submittedAtMs)}|`;

it.each([
  ['three minutes behind', -BEHIND_MS],
  ['three minutes ahead', BEHIND_MS],
])(
  'a recovery is refused while an allocation runs, and nothing is changed, also where the clock of its node is %s',
  async (_, clockMs) => {
    const id = await workflowWith('a');
    await runnerIn(id, 7, clockMs);
    const before = stored();
    await expect(recover(id, [running(7, START)])).rejects.toMatchObject({ code: 'RECOVERY_REFUSED' });
    expect(stored()).toEqual(before);
  },
);

it('a recovery that is refused because one allocation runs leaves the jobs of another as they are, which has ended', async () => {
  const id = await workflowWith('a', 'b');
  await runnerIn(id, 7, 0);
  await runnerIn(id, 8, 0);
  const before = stored();
  const lines = [running(7, START), `8|NODE_FAIL|${seconds(START)}|1:00|8|${seconds(START)}|`];
  await expect(recover(id, lines)).rejects.toMatchObject({ code: 'RECOVERY_REFUSED' });
  expect(stored()).toEqual(before);
  expect(await statuses(service, id)).toEqual({ a: 'running', b: 'running' });
});

it('where all allocations have ended, the recovery goes on: the jobs of both failed with their allocations', async () => {
  const id = await workflowWith('a', 'b');
  await runnerIn(id, 7, 0);
  await runnerIn(id, 8, 0);
  const lines = [7, 8].map((job) => `${job}|NODE_FAIL|${seconds(START)}|1:00|${job}|${seconds(START)}|`);
  // It is carried out up to the submission.
  await expect(recover(id, lines)).rejects.toThrow('not to be called');
  expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'failed' });
});

it('a dry run counts the running jobs of a runner of this machine that was killed as ended, changes nothing, and is not refused', async () => {
  const id = await workflowWith('a');
  await killedRunner(id);
  const before = stored();
  const { lostRunners, recovery } = await diagnoseRecovery(tools([]), id, options, true);
  expect([lostRunners, recovery.isContinued]).toEqual([1, false]);
  expect(stored()).toEqual(before);
  // As is the recovery itself: the job runs again.
  await recover(id, []);
  expect(await statuses(service, id)).toEqual({ a: 'ready' });
});

it('a recovery that needs new allocations is refused where no cluster is found', async () => {
  const { hosts: _hosts, site: _site, ...own } = tools([]);
  const settings = { customProfiles: undefined, overrides: undefined, defaultAccount: undefined };
  const service = () => Promise.reject(new Error('not to be called'));
  const { site } = recoverToolsOf({ ...own, environment: { PATH: '/nowhere' }, service, settings }, 7);
  await expect(site()).rejects.toMatchObject({
    code: 'RECOVERY_REFUSED',
    message: expect.stringContaining('workflow 7 cannot be recovered: no cluster was found here'),
  });
});
