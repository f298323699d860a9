import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../client/errors.ts';
import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import {
  ended,
  registerNode,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;

const want = { limit: 100, prefetch: 0 };
const exchange = (body: Partial<ExchangeRequest> = {}, node = nodeId, runId = 1) =>
  service.client.exchange({ params: { id }, body: { run_id: runId, compute_node_id: node, ...body } });
const names = async (body: Partial<ExchangeRequest>, node: number, runId: number) =>
  (await exchange(body, node, runId)).jobs.map(({ name, attempt_id: attempt }) => [name, attempt]);
const cancel = () => service.client.cancelWorkflow({ params: { id } });
const reset = (force = false) => service.client.resetStatus({ params: { id }, query: { force } });
const resetJobs = async () => {
  await service.client.resetJobStatus({ params: { id }, query: {} });
  await service.client.initializeJobs({ params: { id } });
};
const deregister = (node = nodeId) =>
  service.client.updateComputeNode({ params: { id: node }, body: { is_active: false } });

/** Two jobs: `a` runs, `b` was assigned and waits in the runner. */
const runOne = async () => {
  const { jobs } = await exchange({ want });
  const [a, b] = jobs as [(typeof jobs)[number], (typeof jobs)[number]];
  await exchange({ started: [started(a)] });
  return { a, b };
};

const reportedSince = (changeId: number) =>
  service.store.changes.read(
    id,
    changeId + 1,
    ['jobs_ready', 'jobs_returned', 'compute_node_stopped'],
    Number.MAX_SAFE_INTEGER,
  ).changes;

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]));
});

describe('a workflow whose canceled attempts have not ended', () => {
  it('its reset is refused, and the refusal says how many attempts there are and where', async () => {
    await runOne();
    await cancel();
    await expect(reset()).rejects.toMatchObject({
      code: 'WORKFLOW_BUSY',
      message: expect.stringContaining(
        `2 attempts have not ended yet: 2 on host test-host (compute node ${nodeId})`,
      ) as string,
    });
  });

  it('its reset succeeds as soon as the runner has reported the end of one attempt and returned the other job', async () => {
    const { a, b } = await runOne();
    await cancel();
    await exchange({ completed: [ended(a, 143)] });
    await expect(reset()).rejects.toThrow('1 attempt has not ended yet');
    await exchange({ returned: [b.id] });
    expect((await reset()).run_id).toBe(2);
  });

  it('its reset succeeds after the runner was deregistered', async () => {
    await runOne();
    await cancel();
    await deregister();
    expect((await reset()).run_id).toBe(2);
  });

  it('its reset succeeds after the runner was proven lost', async () => {
    await runOne();
    await cancel();
    const params = { id, compute_node_id: nodeId };
    await service.client.reportLostRunner({ params, body: { run_id: 1, reason: 'killed' } });
    expect((await reset()).run_id).toBe(2);
  });

  it('after a forced reset its jobs are assigned only when the earlier attempts have ended, as the next attempt', async () => {
    await runOne();
    await cancel();
    await reset(true);
    await resetJobs();
    const other = await registerNode(service, id);
    expect(await names({ want }, other, 2)).toEqual([]);
    await deregister();
    expect(await names({ want }, other, 2)).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('its status shows which runner holds how many attempts, until they have ended', async () => {
    await runOne();
    await cancel();
    const holders = async () => (await service.client.getWorkflowStatus({ params: { id } })).held_attempts;
    expect(await holders()).toEqual([{ compute_node_id: nodeId, hostname: 'test-host', attempts: 2 }]);
    await deregister();
    expect(await holders()).toBeUndefined();
  });

  it('runners are notified that its jobs became ready when the earlier attempts end', async () => {
    await runOne();
    await cancel();
    await reset(true);
    await resetJobs();
    const before = service.store.changes.lastId;
    await deregister();
    const reported = reportedSince(before);
    expect(reported.find(({ event_type: type }) => type === 'jobs_ready')?.entries).toEqual([{ jobs: 2 }]);
  });
});

it('a workflow whose jobs were canceled before a runner held them is reset at once', async () => {
  await cancel();
  expect((await reset()).run_id).toBe(2);
  await resetJobs();
  expect(await names({ want }, nodeId, 2)).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

it('a runner that lists the jobs that it holds no longer holds any other', async () => {
  const { a } = await runOne();
  await service.client.resetJobStatus({ params: { id }, query: {} });
  await exchange({ held: [a.id] });
  await expect(reset()).rejects.toThrow('1 attempt has not ended yet');
  await exchange({ held: [] });
  expect((await reset()).run_id).toBe(2);
});

it('a runner whose attempts have not ended is not deleted, because their record would be lost; afterwards it is', async () => {
  await runOne();
  await cancel();
  const remove = () => service.client.deleteComputeNode({ params: { id: nodeId } });
  await expect(remove()).rejects.toMatchObject({ code: 'IN_USE' });
  await deregister();
  expect(await remove()).toMatchObject({ id: nodeId });
});

describe('a job taken from its runner', () => {
  const takes: Record<string, (jobId: number) => Promise<unknown>> = {
    'by resetting all jobs': resetJobs,
    'by initializing the workflow again': () => service.client.initializeJobs({ params: { id } }),
    'by resetting it': async (jobId) => {
      await service.client.manageStatusChange({ params: { id: jobId, status: 'uninitialized', run_id: 1 } });
      await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    },
    'by completing it in the name of another runner': async (jobId) => {
      const other = await registerNode(service, id);
      const result = { ...ended({ id: jobId, attempt_id: 1 }, 1), workflow_id: id, run_id: 1, compute_node_id: other };
      await service.client.completeJob({ params: { id: jobId, status: 'failed', run_id: 1 }, body: result });
      await service.client.retryJob({ params: { id: jobId, run_id: 1 }, query: { max_retries: 9 } });
    },
    'by completing it in the name of another runner, and a reset,': async (jobId) => {
      const other = await registerNode(service, id);
      const result = { ...ended({ id: jobId, attempt_id: 1 }), workflow_id: id, run_id: 1, compute_node_id: other };
      await service.client.completeJob({ params: { id: jobId, status: 'completed', run_id: 1 }, body: result });
      await resetJobs();
    },
  };

  it.each(Object.keys(takes))('after %s the job is assigned again only after its attempt ended', async (how) => {
    const { a } = await runOne();
    await takes[how]?.(a.id);
    const other = await registerNode(service, id);
    const mine = async () => (await names({ want }, other, 1)).filter(([name]) => name === 'a');
    expect(await mine()).toEqual([]);
    await exchange({ completed: [ended(a)] });
    expect(await mine()).toEqual([['a', 2]]);
  });

  it.each(['retry', 'ready'])(
    'after "%s" the job is assigned again only after our runner reports its end',
    async (how) => {
      const node = await service.client.createComputeNode({
        body: {
          ...(await service.client.getComputeNode({ params: { id: nodeId } })),
          id: undefined,
          process: { boot_id: 'b', pid_namespace: 'pid:[1]', start_ticks: 1, mark: 'm', ledger: '/none' },
        },
      });
      const ours = node.id;
      const { jobs } = await exchange({ want }, ours);
      const [a] = jobs as [(typeof jobs)[number]];
      await exchange({ started: [started(a)] }, ours);
      const params = { id: a.id, run_id: 1 };
      if (how === 'retry') await service.client.retryJob({ params, query: { max_retries: 9 } });
      else await service.client.manageStatusChange({ params: { ...params, status: 'ready' } });
      expect(await names({ want }, nodeId, 1)).toEqual([]);
      await exchange({ completed: [ended(a, 1)] }, ours);
      expect(await names({ want }, nodeId, 1)).toEqual([['a', 2]]);
    },
  );

  it('a change between pending and running leaves the job with its runner, which reports the rest', async () => {
    const { jobs } = await exchange({ want });
    const [a] = jobs as [(typeof jobs)[number]];
    await service.client.manageStatusChange({ params: { id: a.id, status: 'running', run_id: 1 } });
    expect(await service.client.getJob({ params: { id: a.id } })).toMatchObject({
      status: 'running',
      compute_node_id: nodeId,
      start_time: '2026-03-01T12:00:00.000Z',
    });
    expect((await exchange({ completed: [ended(a)] })).errors).toEqual([]);
    expect(await statuses(service, id)).toMatchObject({ a: 'completed' });
  });

  it('a retry that its own Torc runner requests makes the job ready at once', async () => {
    const { a } = await runOne();
    await service.client.retryJob({ params: { id: a.id, run_id: 1 }, query: { max_retries: 9 } });
    expect(await names({ want }, nodeId, 1)).toEqual([['a', 2]]);
  });
});

describe('a deregistered runner', () => {
  it('jobs that a deregistered runner never started become ready; its running jobs stay and are reported', async () => {
    const { a, b } = await runOne();
    const before = service.store.changes.lastId;
    await deregister();
    expect(await statuses(service, id)).toEqual({ a: 'running', b: 'ready' });
    const reported = reportedSince(before);
    expect(reported.map(({ event_type: type, entries }) => [type, entries[0]])).toMatchObject([
      ['jobs_returned', { compute_node_id: nodeId, job_ids: [b.id] }],
      ['jobs_ready', { jobs: 1 }],
      ['compute_node_stopped', { returned_jobs: 1, running_jobs: 1 }],
    ]);
    const { items } = await service.client.listEvents({ query: { workflow_id: id, category: 'compute_node' } });
    expect(items.map(({ data }) => data)).toMatchObject([{ compute_node_id: nodeId, job_ids: [a.id] }]);
  });

  it('the filter for runners that hold jobs finds the deregistered runner, and no other', async () => {
    await runOne();
    await deregister();
    await deregister(await registerNode(service, id));
    const holding = async (isHolding: boolean) =>
      (
        await service.client.listComputeNodes({
          query: { workflow_id: id, is_active: false, holds_jobs: isHolding },
        })
      ).items.map((node) => node.id);
    expect(await holding(true)).toEqual([nodeId]);
    expect(await holding(false)).not.toContain(nodeId);
  });

  it('the filter for runners that may hold jobs finds it and active ones, and none that ended with everything reported', async () => {
    await runOne();
    await deregister();
    const over = await registerNode(service, id);
    await deregister(over);
    const active = await registerNode(service, id);
    const found = async (query: object) =>
      (await service.client.listComputeNodes({ query: { workflow_id: id, ...query } })).items.map((node) => node.id);
    expect(await found({ may_hold_jobs: true })).toEqual([nodeId, active]);
    expect(await found({ may_hold_jobs: false })).toContain(over);
    expect(await found({ may_hold_jobs: true, in_slurm: true })).toEqual([]);
    const { id: _, ...node } = await service.client.getComputeNode({ params: { id: active } });
    const inSlurm = await service.client.createComputeNode({
      body: { ...node, scheduler: { scheduler_type: 'slurm', slurm_job_id: '60' } },
    });
    expect(await found({ may_hold_jobs: true, in_slurm: true })).toEqual([inSlurm.id]);
    expect(await found({ may_hold_jobs: true, in_slurm: false })).toEqual([nodeId, active]);
  });
});

interface Process {
  readonly jobId: number;
  readonly attemptId: number;
  isStarted: boolean;
}

/** The real state of a runner, regardless of what the server knows. */
interface Runner {
  readonly node: number;
  readonly runId: number;
  isThere: boolean;
  isRegistered: boolean;
  /** The server asked it to end its jobs, or its run is over. */
  isStopping: boolean;
  readonly holds: Process[];
}

const KINDS = [
  'claim',
  'claim',
  'claim',
  'start',
  'start',
  'end',
  'end',
  'end silently',
  'return',
  'say held',
  'cancel',
  'reset',
  'reset by force',
  'reset jobs',
  'initialize',
  'reset one',
  'deregister',
  'kill and recover',
  'join',
] as const;

it('no job ever has two live attempts, and none stays pending in the name of a lost runner', async () => {
  const step = fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(30), what: fc.nat(30) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      service = testService();
      ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a'] }]));
      const { client } = service;
      const runIdNow = async () => (await client.getWorkflow({ params: { id } })).run_id ?? 0;
      const join = async (node?: number): Promise<Runner> => ({
        node: node ?? (await registerNode(service, id)),
        runId: await runIdNow(),
        isThere: true,
        isRegistered: true,
        isStopping: false,
        holds: [],
      });
      const runners = [await join(nodeId)];

      const speak = async (runner: Runner, body: Partial<ExchangeRequest>) => {
        try {
          const reply = await exchange(body, runner.node, runner.runId);
          if (reply.is_canceled) runner.isStopping = true;
          for (const job of reply.jobs) {
            const live = runners.filter(({ holds }) => holds.some(({ jobId }) => jobId === job.id));
            expect(live.map(({ node }) => node)).toEqual([]);
            runner.holds.push({ jobId: job.id, attemptId: job.attempt_id, isStarted: false });
          }
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          expect(error.code).toBe('RUN_SUPERSEDED');
          runner.isStopping = true;
        }
      };
      const drop = (runner: Runner, held: Process) => void runner.holds.splice(runner.holds.indexOf(held), 1);
      const idOf = ({ jobId, attemptId }: Process) => ({ id: jobId, attempt_id: attemptId });

      for (const { kind, which, what } of steps) {
        const present = runners.filter(({ isThere }) => isThere);
        const runner = present[which % Math.max(1, present.length)];
        const held = runner?.holds[what % Math.max(1, runner.holds.length)];
        if (kind === 'join') runners.push(await join());
        else if (kind === 'cancel') await cancel();
        else if (kind === 'reset') {
          await reset().then(
            () => expect(runners.flatMap(({ holds }) => holds)).toEqual([]),
            () => undefined,
          );
        } else if (kind === 'reset by force') await reset(true);
        else if (kind === 'reset jobs') await resetJobs();
        else if (kind === 'initialize') await client.initializeJobs({ params: { id } });
        else if (kind === 'reset one') {
          const { items } = await client.listJobs({ query: { workflow_id: id } });
          const jobId = items[what % items.length]?.id as number;
          await client.manageStatusChange({
            params: { id: jobId, status: 'uninitialized', run_id: await runIdNow() },
          });
        } else if (runner === undefined) continue;
        else if (kind === 'claim') {
          if (!runner.isStopping) await speak(runner, { want: { limit: 1 + (what % 2), prefetch: 0 } });
        } else if (kind === 'say held') {
          await speak(runner, { held: runner.holds.map(({ jobId }) => jobId), want: { limit: 1, prefetch: 0 } });
        } else if (kind === 'deregister') {
          // Its last report may never arrive: it only deregisters.
          runner.holds.splice(0);
          runner.isThere = false;
          await deregister(runner.node);
        } else if (kind === 'kill and recover') {
          const begun = runner.holds.filter(({ isStarted }) => isStarted);
          runner.holds.splice(0);
          runner.isThere = false;
          const facts = begun.map(({ jobId, attemptId }) => ({ job_id: jobId, attempt_id: attemptId }));
          await client.reportLostRunner({
            params: { id, compute_node_id: runner.node },
            body: { run_id: await runIdNow(), reason: 'killed', ...(what % 2 === 0 ? { started: facts } : {}) },
          });
        } else if (held === undefined) continue;
        else if (kind === 'start') {
          if (held.isStarted || runner.isStopping) continue;
          held.isStarted = true;
          await speak(runner, { started: [started(idOf(held))] });
        } else if (kind === 'end') {
          if (!held.isStarted) continue;
          drop(runner, held);
          await speak(runner, { completed: [ended(idOf(held), what % 2)] });
        } else if (kind === 'end silently') {
          if (held.isStarted) drop(runner, held);
        } else {
          if (held.isStarted) continue;
          drop(runner, held);
          await speak(runner, { returned: [held.jobId] });
        }

        const pendingWithoutRunner = service.store.db.prepare(`
          select job.id from job join compute_node on compute_node.id = job.claimed_by
          where job.status = 3 and compute_node.is_active = 0`);
        expect(pendingWithoutRunner.all({})).toEqual([]);
      }

      // When every runner is proven lost no attempt is held any more.
      for (const runner of runners) {
        runner.holds.splice(0);
        const body = { run_id: await runIdNow(), reason: 'killed' };
        await client.reportLostRunner({ params: { id, compute_node_id: runner.node }, body });
      }
      await reset();
      await resetJobs();
      const last = await join();
      await speak(last, { want: { limit: 9, prefetch: 0 } });
      expect(last.holds).toHaveLength(2);
      expect(service.errors).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
