import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { ServiceError } from '../../client/errors.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { type BatchQueue, SubmissionFailed } from '../../cluster/batch/batch-system.ts';
import { planSchedulers } from '../../hpc/plan-schedulers.ts';
import { partition } from '../../hpc/profile.ts';
import { workflowRules } from '../../hpc/workflow-rules.ts';
import { cleanOrphans } from '../orphans/clean.ts';
import { fireActions } from './fire-actions.ts';
import { allocationsInUse, pendingJobs } from './pending.ts';
import { regenerate, type RegenerateOptions } from './regenerate.ts';
import type { SubmitTools } from './submit-tools.ts';
import { openBatch, requestOn } from '../../cluster/open-batch.ts';

/** A cluster in memory: allocations wait until a test starts or ends them. */
function cluster() {
  const states = new Map<number | string, 'queued' | 'running' | 'ended'>();
  let next = 100;
  let submissions = 0;
  let failsAt = Infinity;
  const slurm: BatchQueue = {
    async submit() {
      submissions += 1;
      if (submissions >= failsAt) throw new SubmissionFailed('the program was killed', 'refused');
      next += 1;
      states.set(next, 'queued');
      return next;
    },
    scripts: async () => [],
    cancel: async (jobId) => void states.set(jobId, 'ended'),
    cancelQueued: async () => {},
    release: async () => {},
    statesOf: async (ids) => new Map(ids.map((id) => [id, { jobId: id, state: states.get(id) ?? 'ended', word: '' }])),
    mostTasks: async () => 1,
    submissionsUnderWay: async () => [],
    waitingReasons: async () => new Map(),
  };
  const records = {
    queue: async (ids: readonly number[]) =>
      new Map(ids.map((id) => [id, { state: states.get(id) ?? ('ended' as const), word: 'CANCELLED' }])),
    account: async () => undefined,
    queueAgeSeconds: async () => undefined,
  };
  return {
    slurm,
    records,
    states,
    submissions: () => submissions,
    failAfter: (count: number) => (failsAt = submissions + count + 1),
    unfinished: () => [...states.values()].filter((state) => state !== 'ended').length,
  };
}

const PARTITIONS = [partition({ name: 'short', cpus_per_node: 4, memory_mb: 4096, max_walltime_secs: 7200 })];
const options: RegenerateOptions = {
  partitions: PARTITIONS,
  account: 'proj',
  groupBy: 'resource-requirements',
  inWordsOfSite: (planned) => requestOn({}, planned),
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
  isSingleAllocation: false,
  submits: true,
  isDryRun: false,
  includedJobs: [],
  nowMs: Date.parse('2026-03-01T12:00:00Z'),
};

let service: TestService;
let slurm: ReturnType<typeof cluster>;
let tools: SubmitTools;
beforeEach(() => {
  service = testService();
  slurm = cluster();
  tools = toolsOf(service, slurm, temporaryFolder());
});

const toolsOf = (of: TestService, at: ReturnType<typeof cluster>, outputDir: string): SubmitTools => ({
  client: of.client,
  slurm: { ...openBatch({}), ...at.slurm },
  settings: {
    url: 'http://localhost',
    outputDir,
    pollIntervalSeconds: 1,
    claimBackoffMaxSeconds: undefined,
    tlsCaCert: undefined,
    tlsInsecure: false,
    keepsScripts: false,
  },
  onSubmitted: () => {},
  onWarning: () => {},
});

const needs = { two: { num_cpus: 2, memory: '1g', runtime: 'PT1H' } };
const jobs = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ name: `j${at}`, requirements: 'two', ...more }));
const actionsOf = (id: number) => service.client.listWorkflowActions({ params: { id } });

describe('regenerate', () => {
  it('slurm regenerate makes a scheduler for the jobs that wait, binds them to it, and submits as many allocations as they need', async () => {
    const { id } = await workflowOf(service, [...jobs(5), { name: 'last', requirements: 'two', after: ['j0'] }], needs);
    const found = await regenerate(tools, id, options);
    expect(found.pendingJobs).toBe(6);
    expect(found.schedulers.map(({ planned, allocations }) => [planned.name, allocations])).toEqual([
      ['two_regen_20260301_120000', 3],
      ['two_deferred_regen_20260301_120000', 1],
    ]);
    expect(slurm.submissions()).toBe(3);
    const { items } = await service.client.listJobs({ query: { workflow_id: id } });
    const [first, second] = found.schedulers.map((each) => each.id);
    expect(items.map(({ scheduler_id: of }) => of)).toEqual([first, first, first, first, first, second]);
    // The deferred group waits for its job.
    expect(await actionsOf(id)).toEqual([
      expect.objectContaining({ is_recovery: true, trigger_count: 0, required_triggers: 1, executed: false }),
    ]);
  });

  it('submits nothing a second time, and nothing that waits or runs already', async () => {
    const { id } = await workflowOf(service, jobs(5), needs);
    await regenerate(tools, id, options);
    const again = await regenerate(tools, id, options);
    expect([slurm.submissions(), again.submitted, again.existing]).toEqual([3, [], 3]);
    expect(again.schedulers[0]?.allocations).toBe(0);
    // One of them ends before it began.
    slurm.states.set(101, 'ended');
    await clean(service, slurm, id);
    await regenerate(tools, id, options);
    expect(slurm.submissions()).toBe(4);
  });

  it('marks the actions schedule_nodes as executed, so a runner does not submit them as well', async () => {
    const { id } = await workflowOf(service, jobs(1), needs);
    const scheduler = await service.client.createSlurmScheduler({
      body: { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '2:00:00' },
    });
    const config = { scheduler_id: scheduler.id, scheduler_type: 'slurm', num_allocations: 7 };
    const body = { workflow_id: id, trigger_type: 'on_workflow_start', action_type: 'schedule_nodes' };
    await service.client.createWorkflowAction({
      params: { id },
      body: { ...body, action_config: config, trigger_count: 1 },
    });
    await regenerate(tools, id, options);
    expect((await fireActions(tools, id)).jobIds).toEqual([]);
    expect(slurm.submissions()).toBe(1);
  });

  it('submits nothing without being asked to; then torc submit finds the allocations as due actions', async () => {
    const { id } = await workflowOf(service, jobs(2), needs);
    await regenerate(tools, id, { ...options, submits: false });
    expect(slurm.submissions()).toBe(0);
    // Repeated, it leaves one action and one scheduler.
    await regenerate(tools, id, { ...options, submits: false, nowMs: options.nowMs + 5000 });
    expect(await actionsOf(id)).toHaveLength(1);
    expect((await service.client.listSlurmSchedulers({ query: { workflow_id: id } })).items).toHaveLength(1);
    expect((await fireActions(tools, id)).jobIds).toHaveLength(1);
  });

  it('slurm regenerate sends the server how many jobs of a recovery action are ready, because Torc’s own server counts only those that become ready later', async () => {
    const { id } = await workflowOf(service, [...jobs(2), { name: 'last', requirements: 'two', after: ['j0'] }], needs);
    const counts: unknown[] = [];
    const { createWorkflowAction } = service.client;
    const client: typeof service.client = {
      ...service.client,
      async createWorkflowAction(request) {
        counts.push([request.body.job_ids?.length, request.body.trigger_count]);
        return createWorkflowAction(request);
      },
    };
    await regenerate({ ...tools, client }, id, { ...options, submits: false });
    expect(counts).toEqual([
      [2, 2],
      [1, 0],
    ]);
  });

  it('slurm regenerate asks for no more nodes at once than the workflow may have, says so before, and plans the same the second time', async () => {
    const { id } = await workflowOf(service, jobs(5), needs);
    await service.client.updateWorkflow({ params: { id }, body: { limits: { nodes: 2 } } });
    const words = 'The plan has 3 nodes, and at most 2 nodes of its workflow may be in use';
    const planned = await regenerate(tools, id, { ...options, isDryRun: true });
    expect(planned.warnings).toEqual([expect.stringContaining(words)]);
    await regenerate(tools, id, options);
    expect(slurm.submissions()).toBe(2);
    const again = await regenerate(tools, id, options);
    expect([slurm.submissions(), again.schedulers[0]?.allocations, again.warnings]).toEqual([2, 0, []]);
    await service.client.updateWorkflow({ params: { id }, body: { limits: { nodes: 3 } } });
    await regenerate(tools, id, options);
    expect(slurm.submissions()).toBe(3);
  });

  it('slurm regenerate does nothing in a dry run, or where no job waits', async () => {
    const { id, nodeId } = await workflowOf(service, jobs(1), needs);
    const found = await regenerate(tools, id, { ...options, isDryRun: true });
    expect([found.schedulers[0]?.allocations, slurm.submissions()]).toEqual([1, 0]);
    expect((await service.client.listSlurmSchedulers({ query: { workflow_id: id } })).items).toEqual([]);
    await runAll(service, id, nodeId, 0);
    expect((await regenerate(tools, id, options)).pendingJobs).toBe(0);
    const included = (await service.client.listJobs({ query: { workflow_id: id } })).items.map((job) => job.id);
    expect((await regenerate(tools, id, { ...options, isDryRun: true, includedJobs: included })).pendingJobs).toBe(1);
  });

  it('slurm regenerate removes what it deferred for jobs that were canceled meanwhile, and leaves it while they wait', async () => {
    const { id, nodeId } = await workflowOf(
      service,
      [...jobs(1), { name: 'last', requirements: 'two', after: ['j0'] }],
      needs,
    );
    await regenerate(tools, id, options);
    await regenerate(tools, id, options);
    expect(await actionsOf(id)).toHaveLength(1);
    await runAll(service, id, nodeId, 1);
    await regenerate(tools, id, { ...options, isDryRun: true });
    expect(await actionsOf(id)).toHaveLength(1);
    await regenerate(tools, id, options);
    expect([await actionsOf(id), (await fireActions(tools, id)).jobIds]).toEqual([[], []]);
  });

  it('completes what a failure left half done with the same number of submissions in all', async () => {
    const { id } = await workflowOf(service, jobs(6), needs);
    slurm.failAfter(2);
    const broken = await regenerate(tools, id, options);
    expect([broken.submitted.length, broken.warnings.length]).toEqual([2, 1]);
    slurm.failAfter(Infinity);
    await regenerate(tools, id, { ...options, nowMs: options.nowMs + 60_000 });
    expect(slurm.unfinished()).toBe(3);
  });

  it('jobs are bound one by one on a server of Torc, which has no route for many', async () => {
    const { id } = await workflowOf(service, jobs(3), needs);
    const bindJobs = () => Promise.reject(new ServiceError('binding jobs', { status: 404, text: '' }));
    const found = await regenerate({ ...tools, client: { ...service.client, bindJobs } }, id, options);
    const { items } = await service.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ scheduler_id: of }) => of)).toEqual(items.map(() => found.schedulers[0]?.id));
  });

  it('deletes its actions when the workflow is initialized again', async () => {
    const { id } = await workflowOf(service, [...jobs(1), { name: 'z', requirements: 'two', after: ['j0'] }], needs);
    await regenerate(tools, id, options);
    expect(await actionsOf(id)).toHaveLength(1);
    await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    expect(await actionsOf(id)).toEqual([]);
  });
});

describe('the schedulers of a recovery', () => {
  const wide: RegenerateOptions = {
    ...options,
    groupBy: 'partition',
    partitions: [
      partition({
        name: 'debug',
        cpus_per_node: 4,
        memory_mb: 4096,
        max_walltime_secs: 86_400,
        is_default: true,
        exclusive: false,
      }),
      partition({ name: 'short', cpus_per_node: 4, memory_mb: 4096, max_walltime_secs: 7200, exclusive: false }),
      partition({
        name: 'gpu',
        cpus_per_node: 8,
        memory_mb: 8192,
        max_walltime_secs: 7200,
        gpus_per_node: 4,
        exclusive: false,
      }),
    ],
    namesPartitions: true,
  };
  const given = async (scheduler: object, bound = true, requirements: object = needs.two) => {
    const { id } = await workflowOf(service, jobs(5), { two: { ...needs.two, ...requirements } });
    const body = { workflow_id: id, name: 'mine', account: 'own', nodes: 1, walltime: '2:00:00', ...scheduler };
    const { id: schedulerId } = await service.client.createSlurmScheduler({ body });
    const { items } = await service.client.listJobs({ query: { workflow_id: id } });
    const ids = items.map((job) => job.id);
    if (bound) await service.client.bindJobs({ params: { id }, body: { scheduler_id: schedulerId, job_ids: ids } });
    return id;
  };
  const made = async (id: number, over: Partial<RegenerateOptions> = {}) => {
    const { schedulers, warnings } = await regenerate(tools, id, { ...wide, ...over });
    const records = await service.client.listSlurmSchedulers({ query: { workflow_id: id } });
    const ids = schedulers.map((each) => each.id);
    return { warnings, records: records.items.filter((each) => ids.includes(each.id)) };
  };

  it('the schedulers of a recovery keep partition, account, QOS and options of those that the jobs had', async () => {
    const mine = {
      partition: 'short',
      qos: 'high',
      tmp: '5G',
      extra: '--constraint=fast --cpus-per-task=1',
      gres: 'nvme:1',
    };
    const { records, warnings } = await made(await given(mine));
    expect(records).toMatchObject([
      {
        name: 'short_regen_20260301_120000',
        account: 'own',
        partition: 'short',
        qos: 'high',
        tmp: '5G',
        gres: 'nvme:1',
        extra: '--constraint=fast --cpus-per-task=4',
        walltime: '01:32:00',
        mem: '2304m',
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('the schedulers of a recovery keep them for jobs of no scheduler, which any allocation may run', async () => {
    const { records } = await made(await given({ partition: 'short', qos: 'high' }, false));
    expect(records).toMatchObject([{ partition: 'short', qos: 'high', account: 'own' }]);
  });

  it('the schedulers of a recovery keep the type of GPUs, and ask for as many as run at a time', async () => {
    const { records } = await made(await given({ partition: 'gpu', gres: 'gpu:a100:1' }, true, { num_gpus: 1 }));
    expect(records).toMatchObject([{ partition: 'gpu', gres: 'gpu:a100:4', extra: '--cpus-per-task=8', mem: '4352m' }]);
  });

  it('the schedulers of a recovery name no partition where the old one named none, and Slurm uses its default', async () => {
    const { records } = await made(await given({}));
    expect(records).toMatchObject([{ name: 'debug_regen_20260301_120000', account: 'own' }]);
    expect(records[0]?.partition ?? undefined).toBeUndefined();
  });

  it('the schedulers of a recovery use another partition where that of before is too short, and say so with the sum', async () => {
    const { records, warnings } = await made(
      await given({ partition: 'short', qos: 'high' }, true, { runtime: 'PT2H' }),
    );
    expect(records).toMatchObject([{ partition: 'debug', account: 'own' }]);
    expect(records[0]?.qos ?? undefined).toBeUndefined();
    expect(warnings).toEqual([
      "Resource requirements 'two': partition 'short' has a limit of 02:00:00, and these jobs need at least runtime 02:00:00 + headroom 00:01:00 + lead 00:00:30 + start 00:00:30 = 02:02:00 (the factor 1.5 for the runtime would come on top); partition 'debug' is planned instead",
    ]);
  });

  it('the schedulers of a recovery use the account and the partition that a person names', async () => {
    const over = { forcedPartition: 'debug', account: 'other', isAccountForced: true };
    const { records } = await made(await given({ partition: 'short', qos: 'high' }), over);
    expect(records).toMatchObject([{ partition: 'debug', account: 'other' }]);
  });

  it('the schedulers of a recovery use a partition that the profile does not know as it was named', async () => {
    const { records } = await made(await given({ partition: 'short,long' }));
    expect(records).toMatchObject([{ partition: 'short,long', extra: '--cpus-per-task=2', mem: '1280m' }]);
  });

  it('allocations that a job outgrew are not counted for it', async () => {
    const id = await given({ partition: 'short', extra: '--cpus-per-task=2', mem: '1g' });
    await regenerate(tools, id, wide);
    const { items } = await service.client.listResourceRequirements({ query: { workflow_id: id } });
    const two = items.find(({ name }) => name === 'two') as ResourceRequirements;
    await service.client.updateResourceRequirements({
      params: { id: two.id },
      body: { ...two, memory: '3g' },
    });
    const again = await regenerate(tools, id, { ...wide, nowMs: wide.nowMs + 60_000 });
    expect([slurm.submissions(), again.existing]).toEqual([3 + 5, 3]);
    await regenerate(tools, id, { ...wide, nowMs: wide.nowMs + 120_000 });
    expect(slurm.submissions()).toBe(3 + 5);
  });
});

const clean = (of: TestService, at: ReturnType<typeof cluster>, id: number) =>
  cleanOrphans(of.client, id, {
    slurm: at.records,
    outputDir: temporaryFolder(),
    isDryRun: false,
    nowMs: () => options.nowMs,
  });

/** A runner takes and ends all jobs that are ready. */
async function runAll({ client }: TestService, id: number, nodeId: number, returnCode: number, limit = 100) {
  const { run_id: runId = 0 } = await client.getWorkflow({ params: { id } });
  const about = { run_id: runId as number, compute_node_id: nodeId };
  const { jobs: taken } = await client.exchange({ params: { id }, body: { ...about, want: { limit, prefetch: 0 } } });
  await client.exchange({ params: { id }, body: { ...about, started: taken.map(started) } });
  const completed = taken.map((job) => ended(job, returnCode));
  await client.exchange({ params: { id }, body: { ...about, completed } });
}

/** Allocations that the jobs which wait now need, by the formula. */
async function needed({ client }: TestService, id: number): Promise<number> {
  const pending = await pendingJobs(client, id);
  return planSchedulers(pending.groups, {
    ...options,
    ...workflowRules({}),
    waitsFor: pending.waitsFor,
  }).schedulers.reduce((sum, { allocations }) => sum + allocations, 0);
}

const step = fc.oneof(
  fc.record({ do: fc.constant('run' as const), code: fc.constantFrom(0, 0, 1), limit: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat(9) }),
  fc.record({ do: fc.constantFrom('regenerate', 'fire', 'reset', 'reinitialize', 'clean', 'break') }),
);

/** A deferred allocation whose job was canceled before the next call. */
const FAILED_BEFORE_DEFERRED: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[] = [
  { do: 'regenerate' },
  { do: 'run', code: 1, limit: 1 },
  { do: 'regenerate' },
  { do: 'fire' },
];

describe('any sequence of submit, run, fail, reset, reinitialize and recover', () => {
  it('never submits more allocations than the waiting jobs need, beside those that were there, and fires each recovery action once', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.nat(6), { maxLength: 3 }),
        fc.array(step, { maxLength: 12 }),
        async (count, behind, steps) => {
          const of = testService();
          const at = cluster();
          const using = toolsOf(of, at, folder);
          const { client } = of;
          const later = behind.map((before, place) => ({
            name: `k${place}`,
            requirements: 'two',
            after: [`j${before % count}`],
          }));
          const { id, nodeId } = await workflowOf(of, [...jobs(count), ...later], needs);
          let deferred = 0;
          for (const each of steps) {
            const before = at.unfinished();
            const need = await needed(of, id);
            if (each.do === 'run') await runAll(of, id, nodeId, each.code, each.limit);
            else if (each.do === 'end') {
              const living = [...at.states].filter(([, state]) => state !== 'ended').map(([job]) => job);
              if (living.length > 0) at.states.set(living[each.which % living.length] as number, 'ended');
            } else if (each.do === 'break') at.failAfter(1);
            else if (each.do === 'clean') await clean(of, at, id);
            else if (each.do === 'reset') {
              await client.resetStatus({ params: { id }, query: { force: true } });
              await client.resetJobStatus({ params: { id }, query: { failed_only: true } });
            } else if (each.do === 'reinitialize') {
              await client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
              deferred = 0;
            } else {
              // As `recover` does: what Slurm has ended is recorded first.
              await clean(of, at, id);
              if (each.do === 'regenerate') {
                at.failAfter(Infinity);
                deferred = (await regenerate(using, id, options)).deferred;
                expect(at.unfinished()).toBeLessThanOrEqual(Math.max(before, need));
              } else {
                // The recovery actions, each once.
                const { jobIds } = await fireActions(using, id);
                expect(jobIds.length).toBeLessThanOrEqual(deferred);
                deferred -= jobIds.length;
              }
              const open = await allocationsInUse(client, id, options.nowMs);
              expect(open.length).toBe(at.unfinished());
            }
          }
        },
      ),
      { numRuns: 25, examples: [[1, [0], FAILED_BEFORE_DEFERRED]] },
    );
  });
});
