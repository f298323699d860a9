import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { ended, started, statuses, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import type { Client } from '../../client/client.ts';
import { Unreachable } from '../../client/errors.ts';
import type { LedgerFacts } from '../ledger/read-ledger.ts';
import { allocationOf } from '../../cluster/slurm/allocation.ts';
import { provenBy, recoverLostRunners } from './lost-runners.ts';

const HOST = 'test-host';
const want = { limit: 1, prefetch: 0 };

let service: TestService;
let id: number;
let folder: string;
let said: { level: string; words: string; fields: Readonly<Record<string, unknown>> }[];

beforeEach(async () => {
  service = testService();
  ({ id } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]));
  folder = temporaryFolder();
  said = [];
});

const log = {
  write: (level: string, words: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void said.push({ level, words, fields }),
  close: () => {},
};

const recover = (client: Client = service.client) =>
  recoverLostRunners({ client, workflowId: id, runId: 1, hostname: HOST, allocation: allocationOf(process.env), log });

/** A registered runner of this host that does not run: its process id is larger than any that the kernel assigns. */
async function goneRunner({
  pid = 2 ** 30,
  mark = 'unknown',
  allocationId,
  ledger,
}: {
  pid?: number;
  mark?: string;
  allocationId?: string;
  ledger: string;
}) {
  const identity = ownIdentity();
  const node = await service.client.createComputeNode({
    body: {
      workflow_id: id,
      hostname: HOST,
      pid,
      start_time: '2026-03-01T12:00:00.000Z',
      is_active: true,
      num_cpus: 8,
      memory_gb: 16,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'local',
      process: {
        boot_id: identity?.boot_id ?? '',
        pid_namespace: identity?.pid_namespace ?? '',
        start_ticks: pid === process.pid ? (identity?.start_ticks ?? 0) : 1,
        mark,
        ledger,
        slurm_job_id: allocationId,
      },
    },
  });
  const nodeId = node.id;
  const { jobs } = await service.client.exchange({
    params: { id },
    body: { run_id: 1, compute_node_id: nodeId, want },
  });
  return { nodeId, job: jobs[0] as (typeof jobs)[number] };
}

const ledgerFor = (nodeId: number, runId: number, ...lines: string[]) =>
  [`torc-ledger-1 ${JSON.stringify({ workflow_id: id, run_id: runId, compute_node_id: nodeId })}`, ...lines, ''].join(
    '\n',
  );

const attempts = async () =>
  Object.fromEntries(
    (await service.client.listJobs({ query: { workflow_id: id } })).items.map((job) => [job.name, job.attempt_id]),
  );

describe.skipIf(process.platform !== 'linux')('recovery of lost runners', () => {
  it('recovery continues with other runners when the ledger of one cannot be read, and names it', async () => {
    const unreadable = join(folder, 'folder');
    mkdirSync(unreadable);
    const first = await goneRunner({ ledger: unreadable });
    await goneRunner({ ledger: join(folder, 'none') });
    expect(await recover()).toBe(1);
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'ready', c: 'ready' });
    expect(said.filter(({ words }) => words.includes('could not be recovered'))).toEqual([
      {
        level: 'warn',
        words: expect.any(String),
        fields: expect.objectContaining({ compute_node_id: first.nodeId }) as object,
      },
    ]);
  });

  it('recovery continues with other runners when the server refuses one', async () => {
    const first = await goneRunner({ ledger: join(folder, 'none') });
    await goneRunner({ ledger: join(folder, 'none') });
    const refusing: Client = {
      ...service.client,
      reportLostRunner: (call) =>
        call.params.compute_node_id === first.nodeId
          ? Promise.reject(new Error('refused'))
          : service.client.reportLostRunner(call),
    };
    expect(await recover(refusing)).toBe(1);
    expect(await attempts()).toEqual({ a: 1, b: 2, c: 1 });
  });

  it('recovery never fails, also when the server does not answer at all', async () => {
    const away: Client = { ...service.client, listComputeNodes: () => Promise.reject(new Error('away')) };
    expect(await recover(away)).toBe(0);
    expect(said).toMatchObject([{ words: 'Could not check for lost runners', fields: { reason: 'away' } }]);
  });

  it('a failed check is a warning, but for one that met no server: that is said once, by the runner', async () => {
    for (const error of [new Error('bug'), new Unreachable('away')])
      await recover({ ...service.client, listComputeNodes: () => Promise.reject(error) });
    expect(said.map(({ level }) => level)).toEqual(['warn', 'debug']);
  });

  it('jobs that a complete ledger does not contain become ready in the same attempt', async () => {
    const ledger = join(folder, 'ledger');
    const { nodeId } = await goneRunner({ ledger });
    writeFileSync(ledger, ledgerFor(nodeId, 1));
    expect(await recover()).toBe(1);
    expect(await attempts()).toMatchObject({ a: 1 });
  });

  it('with a damaged line all jobs count as started, a warning says so, and readable ends are reported', async () => {
    const ledger = join(folder, 'ledger');
    const { nodeId, job } = await goneRunner({ ledger });
    const body = { run_id: 1, compute_node_id: nodeId, want };
    const { jobs } = await service.client.exchange({ params: { id }, body });
    writeFileSync(ledger, ledgerFor(nodeId, 1, '\0\0\0', `E ${JSON.stringify(ended(job))}`));
    expect(await recover()).toBe(1);
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready', c: 'ready' });
    expect(await attempts()).toMatchObject({ [jobs[0]?.name as string]: 2 });
    expect(said[0]).toMatchObject({ words: expect.stringContaining('damaged') as string, fields: { lines: 1 } });
  });

  it('the ledger of another runner is not used', async () => {
    const ledger = join(folder, 'ledger');
    const { nodeId, job } = await goneRunner({ ledger });
    writeFileSync(ledger, ledgerFor(nodeId + 1, 1, `E ${JSON.stringify(ended(job))}`));
    expect(await recover()).toBe(1);
    expect(await statuses(service, id)).toMatchObject({ a: 'ready' });
    expect(await attempts()).toMatchObject({ a: 2 });
  });

  it('jobs that run in the name of a deregistered runner are recovered', async () => {
    const { nodeId, job } = await goneRunner({ ledger: join(folder, 'none') });
    await service.client.exchange({
      params: { id },
      body: { run_id: 1, compute_node_id: nodeId, started: [started(job)] },
    });
    await service.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } });
    expect(await statuses(service, id)).toMatchObject({ a: 'running' });
    expect(await recover()).toBe(1);
    expect(await statuses(service, id)).toMatchObject({ a: 'ready' });
    expect(await recover()).toBe(0);
  });

  it('a runner that is alive is not recovered', async () => {
    await goneRunner({ pid: process.pid, ledger: join(folder, 'none') });
    expect(await recover()).toBe(0);
    expect(await statuses(service, id)).toMatchObject({ a: 'pending' });
  });

  it('a runner whose job contains this process is not recovered, because that job still runs', async () => {
    await goneRunner({ mark: 'outer', ledger: join(folder, 'none') });
    onTestFinished(() => {
      for (const name of ['TORC_RUNNER_MARK', 'TORC_RUNNER_OUTER_MARKS']) delete process.env[name];
    });
    process.env['TORC_RUNNER_MARK'] = 'inner';
    process.env['TORC_RUNNER_OUTER_MARKS'] = 'outer';
    expect(await recover()).toBe(0);
    delete process.env['TORC_RUNNER_MARK'];
    expect(await recover()).toBe(1);
  });

  it('a runner whose job submitted this process to another Slurm job is recovered, because it does not contain it', async () => {
    await goneRunner({ mark: 'outer', allocationId: '42', ledger: join(folder, 'none') });
    onTestFinished(() => {
      for (const name of ['TORC_RUNNER_MARK', 'SLURM_JOB_ID']) delete process.env[name];
    });
    process.env['TORC_RUNNER_MARK'] = 'outer';
    process.env['SLURM_JOB_ID'] = '42';
    expect(await recover()).toBe(0);
    process.env['SLURM_JOB_ID'] = '43';
    expect(await recover()).toBe(1);
  });
});

describe('the proof in a ledger', () => {
  const facts: LedgerFacts = {
    run_id: 1,
    compute_node_id: 3,
    started: [],
    completed: [ended({ id: 1, attempt_id: 1 })],
    retried: [],
    actionsBegun: [],
    actionsEnded: [],
    damagedLines: 0,
  };
  const ours = { runId: 1, nodeId: 3 };

  it('within the same boot a ledger proves which jobs started', () => {
    expect(provenBy(facts, 'gone', ours)).toEqual({
      started: [],
      completed: facts.completed,
      retried: [],
      actions: { begun: [], finished: [] },
    });
  });

  it('after a reboot a ledger proves only ends, because starts may have been lost with the page cache', () => {
    expect(provenBy(facts, 'rebooted', ours)).toEqual({
      completed: facts.completed,
      retried: [],
      actions: { finished: [] },
    });
  });

  it('a ledger proves nothing for another run or runner, and a missing one proves nothing', () => {
    expect(provenBy(facts, 'gone', { ...ours, runId: 2 })).toEqual({});
    expect(provenBy(facts, 'gone', { ...ours, nodeId: 4 })).toEqual({});
    expect(provenBy(undefined, 'gone', ours)).toEqual({});
  });
});
