import { describe, expect, it } from 'vitest';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { Kill, mortal } from '../../../tests/support/kill.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { BatchQueue } from '../../cluster/batch/batch-system.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { partition } from '../../hpc/profile.ts';
import { fixesOf } from '../../core/lifecycle/recover/recovery-lines.ts';
import { cleanOrphans } from '../orphans/clean.ts';
import { regenerate } from '../submit/regenerate.ts';
import type { SubmitTools } from '../submit/submit-tools.ts';
import { hasStartedIn } from '../watch/started-in.ts';
import type { Round } from '../watch/tools.ts';
import { watchWorkflow } from '../watch/watch.ts';
import { wasSubmitting } from '../../core/lifecycle/recover/recovery-note.ts';
import { recoverable, recoveryOf } from '../../core/lifecycle/recover/recovery-plan.ts';
import { gatherRecovery, gatherStanding } from './facts.ts';
import { reinitialize } from '../run/initialize.ts';
import { applyRecovery } from './recover.ts';
import { replaceLost } from '../submit/replace-lost.ts';
import { openBatch, requestOn } from '../../cluster/open-batch.ts';

/** Slurm as the jobs of this test see it: what was submitted, with its script, and how it stands. */
function cluster() {
  const jobs = new Map<number | string, { script: string; state: 'queued' | 'ended' }>([
    [7, { script: '', state: 'ended' }],
  ]);
  const slurm = (kill: Kill): BatchQueue => ({
    submit: (script) =>
      kill.step(async () => {
        const jobId = 100 + jobs.size;
        jobs.set(jobId, { script, state: 'queued' });
        return jobId;
      }),
    scripts: async () =>
      [...jobs]
        .filter(([, { state }]) => state === 'queued')
        .map(([jobId, { script }]) => ({ jobId, isEnded: false, script })) as never,
    cancel: async () => {},
    cancelQueued: async () => {},
    release: async () => {},
    statesOf: async (ids) =>
      new Map(ids.map((id) => [id, { jobId: id, state: jobs.get(id)?.state ?? 'ended', word: '' }])),
    mostTasks: async () => 1,
    submissionsUnderWay: async () => [],
    waitingReasons: async () => new Map(),
  });
  const records = {
    queue: async (ids: readonly number[]) =>
      new Map(ids.map((id) => [id, { state: jobs.get(id)?.state ?? ('ended' as const), word: 'NODE_FAIL' }])),
    account: async () => undefined,
    queueAgeSeconds: async () => undefined,
  };
  return { slurm, records, submissions: () => jobs.size - 1 };
}

const NOW = Date.parse('2026-03-01T13:00:00Z');
const policy = { memoryMultiplier: 1.5, runtimeMultiplier: 1.5, retriesUnknown: false };

/** Everything that `torc recover` does, in its order. */
async function recover(
  of: TestService,
  at: ReturnType<typeof cluster>,
  id: number,
  outputDir: string,
  kill: Kill,
): Promise<Round> {
  const client = mortal(of.client, kill);
  const { records } = at;
  const cleaned = await cleanOrphans(client, id, { slurm: records, outputDir, isDryRun: false, nowMs: () => NOW });
  const isCorrected = cleaned.failed.length > 0;
  const facts = await gatherRecovery(client, id);
  const found = recoverable(facts, { allocations: 0, requeued: 0, runners: 0, jobs: 0, isCorrected });
  if (typeof found === 'string') throw new Refusal('RECOVERY_REFUSED', found);
  const recovery = recoveryOf(facts, found, policy);
  const begun = { force: false, report: () => {}, keepsUndecided: true };
  const reset = await applyRecovery(client, id, recovery, () => reinitialize(client, id, begun));
  const tools: SubmitTools = {
    client,
    slurm: { ...openBatch({}), ...at.slurm(kill) },
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
  };
  const { submitted } = await regenerate(tools, id, {
    partitions: [partition({ name: 'short', cpus_per_node: 4, memory_mb: 4096, max_walltime_secs: 36_000 })],
    account: 'proj',
    groupBy: 'resource-requirements',
    inWordsOfSite: (planned) => requestOn({}, planned),
    walltimeStrategy: 'max-job-runtime',
    walltimeMultiplier: 1.5,
    isSingleAllocation: false,
    submits: true,
    isDryRun: false,
    includedJobs: [],
    nowMs: NOW,
  });
  const data = { category: 'recovery', action: 'recover', jobs_reset: reset };
  await client.createEvent({ body: { workflow_id: id, timestamp: NOW, data } });
  const { adjustments, waiting } = recovery;
  const fixes = fixesOf(recovery.plan);
  return { reset, submitted, raised: adjustments.length, waiting, warnings: [], fixes, next: undefined };
}

/** `torc watch --recover`, until it waits for the first time. */
async function watchUntilItWaits(
  of: TestService,
  at: ReturnType<typeof cluster>,
  id: number,
  outputDir: string,
  kill: Kill,
): Promise<'waits' | 'killed' | number> {
  const client = mortal(of.client, kill);
  const { records } = at;
  let waits: () => void = () => {};
  const waiting = new Promise<'waits'>((resolve) => void (waits = () => resolve('waits')));
  const watching = watchWorkflow(
    {
      status: () => client.getWorkflowStatus({ params: { id } }),
      async clean() {
        const options = { slurm: records, outputDir, isDryRun: false, nowMs: () => NOW };
        const { lost, replies } = await cleanOrphans(client, id, options);
        return { jobs: 0, lost, replies };
      },
      replace: (lost) =>
        replaceLost(
          client,
          id,
          lost.map(({ recordId }) => recordId),
        ),
      recover: () => recover(of, at, id, outputDir, kill),
      async isUnfinished() {
        const { known, note } = await gatherStanding(client, id);
        return wasSubmitting(note, known.workflow.run_id ?? 0);
      },
      schedule: async () => ({ submitted: [], warnings: [] }),
      begun: async (allocations) => allocations.length,
      hasStarted: (allocations) => hasStartedIn(client, id, allocations),
      unbegun: async () => [],
      unrunnable: async () => [],
      extraJobs: async () => 0,
      isToCome: async () => false,
      causes: async () => [],
      async wait() {
        waits();
        await new Promise(() => {});
      },
      nowMs: () => NOW,
      report: () => {},
      showCounts: () => {},
    },
    {
      recovers: true,
      maxRetries: undefined,
      maxFruitless: 3,
      isPersistent: false,
      asksAgent: false,
      autoSchedule: undefined,
    },
  );
  return Promise.race([watching, waiting, kill.died]);
}

/** Jobs of all causes: lost with allocation 7, too little memory, time, or a bad command; one waits for another. */
async function broken() {
  const of = testService();
  const { client } = of;
  const needs = {
    two: { num_cpus: 2, memory: '1g', runtime: 'PT1H' },
    long: { num_cpus: 4, memory: '2g', runtime: 'PT2H' },
  };
  const names = ['lost', 'oom', 'late', 'typo', 'fine', 'another'];
  const { id, nodeId: first } = await workflowOf(
    of,
    [
      ...names.map((name) => ({ name, requirements: name === 'late' ? 'long' : 'two' })),
      { name: 'behind', requirements: 'two', after: ['oom'] },
    ],
    needs,
  );
  await client.deleteComputeNode({ params: { id: first } });
  const node = await client.createComputeNode({
    body: {
      workflow_id: id,
      hostname: 'n1',
      pid: 1,
      start_time: '2026-03-01T12:00:00.000Z',
      is_active: true,
      num_cpus: 64,
      memory_gb: 64,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'slurm',
      scheduler: { type: 'slurm', slurm_job_id: '7', slurm_node_id: '0', slurm_task_pid: '5' },
    },
  });
  const nodeId = node.id;
  const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '1:00:00' };
  const { id: schedulerId } = await client.createSlurmScheduler({ body: scheduler });
  const record = { workflow_id: id, scheduler_id: 7, scheduler_type: 'slurm', status: 'active' };
  await client.createScheduledComputeNode({ body: { ...record, scheduler_config_id: schedulerId } });
  const turn = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want: { limit: 100, prefetch: 0 } });
  await turn({ started: jobs.map(started) });
  const endings: Record<string, object> = {
    oom: { status: 'failed', return_code: 137, peak_memory_bytes: 1300 * 2 ** 20 },
    // Above its runtime without the code of a timeout: raised, it would look like any other failure.
    late: { status: 'failed', return_code: 3, exec_time_minutes: 130 },
    typo: { status: 'failed', return_code: 127 },
    fine: {},
  };
  await turn({
    completed: jobs.filter(({ name }) => name in endings).map((job) => ({ ...ended(job), ...endings[job.name] })),
  });
  return { of, id };
}

/** What a recovery leaves, apart from ids and numbers of runs. */
async function standing({ client }: TestService, id: number) {
  const { items: jobs } = await client.listJobs({ query: { workflow_id: id } });
  const { items: needs } = await client.listResourceRequirements({ query: { workflow_id: id } });
  const { items: allocations } = await client.listScheduledComputeNodes({ query: { workflow_id: id } });
  const actions = await client.listWorkflowActions({ params: { id } });
  return {
    jobs: jobs.map(({ name, status, attempt_id: attempt }) => [name, status, attempt]),
    needs: needs.map(({ name, memory, runtime, num_cpus: cpus }) => [name, memory, runtime, cpus]),
    allocations: allocations.map(({ status }) => status).toSorted(),
    due: actions
      .filter(({ executed }) => executed !== true)
      .map(({ trigger_type: when, action_config: what }) => [
        when,
        (what as { num_allocations: number }).num_allocations,
      ]),
  };
}

const never = () => new Kill(Infinity, false);
/** The process of the test lives on, so the lease of what was killed in it ends by time. */
const LEASE_MS = 61_000;
/** A watch is killed after every third of its steps, the last one too: a recovery alone is killed at each. */
const STRIDE = 3;

describe('a recovery that is killed', () => {
  it('killed at any of its steps and repeated, a recovery leaves the same jobs, requirements and allocations as one that was not', async () => {
    const whole = await broken();
    const undisturbed = cluster();
    const counting = never();
    await recover(whole.of, undisturbed, whole.id, temporaryFolder(), counting);
    const expected = await standing(whole.of, whole.id);
    expect(expected.jobs).toEqual([
      ['lost', 'ready', 1],
      ['oom', 'ready', 1],
      ['late', 'ready', 1],
      ['typo', 'failed', 1],
      ['fine', 'completed', 1],
      ['another', 'ready', 1],
      ['behind', 'blocked', 1],
    ]);
    expect(expected.needs).toEqual([
      ['default', '1m', 'P0DT1M', 1],
      ['two', '2g', 'PT1H', 2],
      ['long', '2g', 'PT3H', 4],
    ]);
    expect(undisturbed.submissions()).toBeGreaterThan(1);
    expect(counting.taken).toBeGreaterThan(15);

    for (let at = 1; at <= counting.taken; at += 1) {
      for (const isAfter of [false, true]) {
        const { of, id } = await broken();
        const slurm = cluster();
        const folder = temporaryFolder();
        const kill = new Kill(at, isAfter);
        expect(await Promise.race([recover(of, slurm, id, folder, kill), kill.died])).toBe('killed');
        await kill.arrived();
        of.clock.now += LEASE_MS;
        // Of the last step only the event is missing: nothing is left to recover.
        const isOver = (await of.client.getWorkflowStatus({ params: { id } })).pending_scheduled_nodes > 0;
        await recover(of, slurm, id, folder, never()).catch((error: Error) => {
          expect([isOver, error.message]).toEqual([true, expect.stringContaining('wait or run')]);
        });
        const place = `killed ${isAfter ? 'after' : 'before'} step ${at} of ${counting.taken}`;
        expect([place, await standing(of, id), slurm.submissions()]).toEqual([
          place,
          expected,
          undisturbed.submissions(),
        ]);
      }
    }
  });

  it('killed between its detection and any step of its recovery, a watch is completed by the next one, with as many submissions', async () => {
    const whole = await broken();
    const undisturbed = cluster();
    const counting = never();
    expect(await watchUntilItWaits(whole.of, undisturbed, whole.id, temporaryFolder(), counting)).toBe('waits');
    const expected = await standing(whole.of, whole.id);
    const left: unknown[] = [];
    for (let at = counting.taken; at > 0; at -= STRIDE) {
      const { of, id } = await broken();
      const slurm = cluster();
      const folder = temporaryFolder();
      const kill = new Kill(at, true);
      expect(await watchUntilItWaits(of, slurm, id, folder, kill)).toBe('killed');
      await kill.arrived();
      of.clock.now += LEASE_MS;
      const second = await watchUntilItWaits(of, slurm, id, folder, never());
      left.push([at, second, await standing(of, id), slurm.submissions()]);
    }
    const submissions = undisturbed.submissions();
    expect(left).toEqual(left.map((_, index) => [counting.taken - index * STRIDE, 'waits', expected, submissions]));
    expect(left.length).toBeGreaterThan(5);
  });
});
