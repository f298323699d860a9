import { describe, expect, it } from 'vitest';
import { Unreachable } from '../../client/errors.ts';
import { jobStatuses } from '../../core/job/job-statuses.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import type { NextRound } from '../../core/lifecycle/recover/futile-round.ts';
import type { BadEnd } from '../../core/lifecycle/recover/recovery-plan.ts';
import type { BatchReply } from '../orphans/find.ts';
import type { Round, WatchOptions } from './tools.ts';
import { watchWorkflow } from './watch.ts';

const status = (
  jobs: Partial<WorkflowStatus['jobs_by_status']>,
  more: Partial<WorkflowStatus> = {},
): WorkflowStatus => ({
  workflow_id: 1,
  workflow_name: 'w',
  workflow_user: 'u',
  total_jobs: 3,
  jobs_by_status: {
    ...(Object.fromEntries(jobStatuses.map((each) => [each, 0])) as WorkflowStatus['jobs_by_status']),
    ...jobs,
  },
  total_exec_time_minutes: 0,
  active_compute_nodes: 0,
  pending_scheduled_nodes: 0,
  active_scheduled_nodes: 0,
  is_complete: false,
  is_canceled: false,
  runtime_blocked_ready_jobs: 0,
  ...more,
});
const DONE = status({ completed: 3 }, { is_complete: true });
const FAILED = status({ completed: 2, failed: 1 }, { is_complete: true });
const WORKING = status({ running: 1 }, { active_compute_nodes: 1, active_scheduled_nodes: 1 });
const STRANDED = status({ ready: 2, completed: 1 });

const ROUND: Round = {
  reset: 1,
  submitted: [7],
  raised: 1,
  waiting: 0,
  warnings: [],
  fixes: { oom: 1, timeout: 0, lost: 0, unknown: 0, skipped: 0 },
  next: undefined,
};

/** A workflow that has these statuses, one after the other; each is asked for until something waits or acts. */
async function watched(
  statuses: readonly (WorkflowStatus | Error)[],
  options: Partial<WatchOptions> = {},
  {
    rounds = [ROUND],
    ahead = [],
    extra = 0,
    scheduled = [7],
    isUnfinished = false,
    started = true,
    begun,
    lost = 0,
    lostAllocations = [],
    replies = [],
    replaced = async () => 1,
    unrunnable = [],
    unbegun,
    causes = [],
    toCome = [],
    meanwhile,
    pollMs = 60_000,
  }: {
    rounds?: readonly (Round | Error)[];
    /** What each round would repeat, one after the other. */
    ahead?: readonly NextRound<BadEnd>[];
    extra?: number;
    scheduled?: readonly number[];
    isUnfinished?: boolean;
    started?: boolean;
    begun?: number | undefined;
    lost?: number;
    /** Those of each look, one after the other. */
    lostAllocations?: readonly (readonly number[])[];
    /** Of Slurm at each look. */
    replies?: readonly (readonly BatchReply[])[];
    replaced?: () => Promise<number>;
    unrunnable?: readonly string[];
    unbegun?: string;
    causes?: readonly string[];
    /** The answers to whether something is to come, one after the other; then no. */
    toCome?: readonly boolean[];
    /** What becomes of the workflow while records are corrected. */
    meanwhile?: WorkflowStatus;
    pollMs?: number;
  } = {},
) {
  const said: string[] = [];
  const did: string[] = [];
  let [at, now, recoveries, asked] = [0, 0, 0, 0];
  const next = () => (at += 1);
  const exitCode = await watchWorkflow(
    {
      async status() {
        const found = statuses[Math.min(at, statuses.length - 1)] as WorkflowStatus | Error;
        if (found instanceof Error) throw found;
        return did.includes('clean') ? (meanwhile ?? found) : found;
      },
      async clean() {
        did.push('clean');
        const gone = lostAllocations[at] ?? [];
        return {
          jobs: lost,
          lost: gone.map((slurmJobId) => ({ recordId: slurmJobId + 100, slurmJobId })),
          replies: replies[at] ?? [],
        };
      },
      async replace(gone) {
        did.push(`replace ${gone.map(({ recordId }) => recordId).join(' ')}`);
        return replaced();
      },
      async recover(decide) {
        did.push('recover');
        const round = rounds[Math.min(recoveries, rounds.length - 1)] as Round | Error;
        const next = ahead[Math.min(recoveries, ahead.length - 1)];
        recoveries += 1;
        const decision = next && decide(next);
        if (decision?.isFutile === true) return undefined;
        if (round instanceof Error) throw round;
        if (next === undefined || decision === undefined) return round;
        const reset = next.repeated.filter(({ id }) => !decision.leaves.has(id)).length;
        if (reset > 0) did.push('submit');
        return { ...round, reset, submitted: reset > 0 ? round.submitted : [] };
      },
      async schedule() {
        did.push('schedule');
        return { submitted: scheduled, warnings: unrunnable };
      },
      begun: async (allocations) => begun ?? allocations.length,
      hasStarted: async () => started,
      unbegun: async () => (unbegun === undefined ? [] : [unbegun]),
      unrunnable: async () => unrunnable,
      isUnfinished: async () => isUnfinished,
      extraJobs: async () => extra,
      causes: async () => causes,
      async isToCome() {
        asked += 1;
        return toCome[asked - 1] ?? false;
      },
      async wait(mostMs = pollMs) {
        next();
        now += mostMs;
        if (at > 50) throw new Error('it watches for ever');
      },
      nowMs: () => now,
      report: (_, words) => said.push(words),
      showCounts: () => {},
    },
    {
      recovers: false,
      maxRetries: undefined,
      maxFruitless: 3,
      isPersistent: false,
      asksAgent: false,
      autoSchedule: undefined,
      ...options,
    },
  );
  return { exitCode, said: said.join('\n'), did };
}

describe('watch', () => {
  it('torc watch ends with 0 when the workflow is complete, and with 1 when a job failed or it was canceled', async () => {
    expect((await watched([WORKING, DONE])).exitCode).toBe(0);
    expect((await watched([WORKING, FAILED])).exitCode).toBe(1);
    expect((await watched([status({ canceled: 1 }, { is_canceled: true })])).exitCode).toBe(1);
    // Its allocations are canceled, and its job is left as it was.
    const meanwhile = status({ ready: 1 }, { is_canceled: true, is_complete: true });
    const canceled = await watched([status({ ready: 1 }, { pending_scheduled_nodes: 1 })], {}, { meanwhile });
    expect([canceled.exitCode, canceled.said]).toEqual([1, expect.stringContaining('The workflow was canceled')]);
  });

  it('torc watch names the causes of jobs that were terminated or failed, once before it ends or recovers, and none of jobs that completed', async () => {
    const causes = ['Job 3 (late) had too little time: return code 152'];
    const terminated = status({ completed: 2, terminated: 1 }, { is_complete: true });
    expect((await watched([WORKING, terminated], {}, { causes })).said).toContain(
      `Workflow stopped:\n  - Failed: 0\n  - Canceled: 0\n  - Terminated: 1\n  - Completed: 2\n${causes[0]}\nThe workflow was stopped: 2 completed, 1 stopped`,
    );
    const again = await watched([terminated, terminated, DONE], { recovers: true }, { causes });
    expect(again.said.split(causes[0] as string)).toHaveLength(3);
    const waits = status({ terminated: 1, blocked: 1 });
    expect((await watched([waits], {}, { causes })).said).toContain(causes[0]);
    expect((await watched([WORKING, DONE], {}, { causes })).said).toBe('✓ Workflow completed successfully (3 jobs)');
  });

  it('torc watch keeps the lines of Torc where jobs failed, and says how many were stopped besides', async () => {
    const { said } = await watched([status({ completed: 2, failed: 1, canceled: 3 }, { is_complete: true })]);
    expect(said).toBe(
      'Workflow completed with failures:\n  - Failed: 1\n  - Canceled: 3\n  - Terminated: 0\n  - Completed: 2\nThe workflow is complete: 1 failed, 3 stopped',
    );
  });

  it('recovers a workflow that failed until it is complete, and no more often than allowed', async () => {
    const done = await watched([FAILED, WORKING, DONE], { recovers: true });
    expect([done.exitCode, done.did.filter((each) => each === 'recover').length]).toEqual([0, 1]);
    const limited = await watched([FAILED], { recovers: true, maxRetries: 2 });
    expect([limited.exitCode, limited.did.length]).toEqual([1, 2]);
    expect(limited.said).toContain('after 2 recoveries, the maximum');
  });

  it('torc watch prints the lines of Torc about a recovery, which scripts look for', async () => {
    const skipping = { ...ROUND, fixes: { ...ROUND.fixes, timeout: 2, skipped: 3 } };
    const done = await watched([FAILED, WORKING, DONE], { recovers: true }, { rounds: [skipping] });
    const lines = done.said.split('\n').filter((line) => !line.startsWith('Recovery 1:'));
    expect(lines).toEqual([
      'Workflow completed with failures:',
      '  - Failed: 1',
      '  - Canceled: 0',
      '  - Terminated: 0',
      '  - Completed: 2',
      'Attempting automatic recovery (attempt 1)',
      '  Applied fixes: 1 OOM, 2 timeout',
      '  3 job(s) with unknown failure cause (skipped, use --retry-unknown to include)',
      'Recovery initiated. Resuming monitoring...',
      '✓ Workflow completed successfully (3 jobs)',
    ]);
    const limited = await watched([FAILED], { recovers: true, maxRetries: 1 });
    expect(limited.said).toContain('Attempting automatic recovery (attempt 1/1)');
    expect(limited.said).toContain('Max retries (1) exceeded. Manual intervention required');
    const none = { ...ROUND, reset: 0, raised: 0, submitted: [] };
    const left = await watched([FAILED], { recovers: true }, { rounds: [none] });
    expect(left.said).not.toContain('Resuming monitoring');
  });

  it('torc watch waits for runners that still leave before it recovers', async () => {
    const leaving = status({ failed: 1 }, { is_complete: true, active_compute_nodes: 1 });
    const done = await watched([leaving, FAILED, DONE], { recovers: true });
    expect(done.did.filter((each) => each === 'recover')).toHaveLength(1);
  });

  const end = (more: Partial<BadEnd>): BadEnd => ({
    id: 3,
    name: 'c',
    status: 'failed',
    why: 'exit',
    words: 'return code 1, the command itself ended with 1',
    returnCode: 1,
    origin: 'itself',
    ...more,
  });
  const round = (completed: number, ...repeated: BadEnd[]) => ({ completed, raised: 0, repeated });
  const BY_ITSELF = end({});
  const PREEMPTED = end({ why: 'allocation', origin: 'outside', status: 'terminated', returnCode: 143 });
  const LOST = end({ why: 'lost', origin: 'loss', returnCode: -128 });
  const submits = (did: readonly string[]) => did.filter((each) => each === 'submit').length;

  it('torc watch ends when a round would raise nothing and the same jobs failed by themselves for the same reasons, and has submitted nothing for it', async () => {
    const done = await watched([FAILED], { recovers: true }, { ahead: [round(2, BY_ITSELF)] });
    expect([done.exitCode, done.did]).toEqual([1, ['recover', 'submit', 'recover']]);
    expect(done.said).toMatch(/the next round would be the same$/);
  });

  it.each([
    ['a requirement is raised each time', [{ ...round(2, BY_ITSELF), raised: 1 }]],
    ['another job completed meanwhile', Array.from({ length: 10 }, (_, at) => round(at, BY_ITSELF))],
    ['a job was preempted or its allocation canceled each time', [round(2, PREEMPTED)]],
    ['a job lost its runner each time and no other completed', [round(0, LOST)]],
    ['beside one that fails by itself another was preempted each time', [round(2, BY_ITSELF, PREEMPTED)]],
  ])('torc watch goes on to the end, through ten rounds, where %s', async (_, ahead) => {
    const ten = Array.from({ length: 10 }, () => FAILED);
    const done = await watched([...ten, DONE], { recovers: true }, { ahead });
    expect([done.exitCode, submits(done.did)]).toEqual([0, 10]);
  });

  it('torc watch no longer repeats a job that lost its runner five times in a row while others completed, and says so', async () => {
    const alone = await watched([FAILED], { recovers: true }, { ahead: [round(2, LOST)] });
    expect([alone.exitCode, submits(alone.did), alone.did.at(-1)]).toEqual([1, 4, 'recover']);
    expect(alone.said).toContain('Job 3 (c) is not run again: it was lost 5 times in a row while other jobs completed');
    // The others go on.
    const other = end({ id: 4, name: 'd', why: 'allocation', origin: 'outside' });
    const ten = Array.from({ length: 10 }, () => FAILED);
    const beside = await watched([...ten, DONE], { recovers: true }, { ahead: [round(2, LOST, other)] });
    expect([beside.exitCode, submits(beside.did)]).toEqual([0, 10]);
  });

  it('torc watch judges a round anew that was interrupted after its decision', async () => {
    const away = new Unreachable('the server does not answer');
    const rounds = [away, ROUND, ROUND];
    const done = await watched([FAILED, FAILED, DONE], { recovers: true }, { rounds, ahead: [round(2, BY_ITSELF)] });
    expect([done.exitCode, submits(done.did)]).toEqual([0, 1]);
  });

  it('torc watch ends when no failure can be repeated, when only undecided jobs remain, and when a hook fails', async () => {
    const none = { ...ROUND, reset: 0, raised: 0, submitted: [] };
    expect((await watched([FAILED], { recovers: true }, { rounds: [none] })).said).toContain('needs a person');
    const undecided = status({ pending_failed: 2 }, { is_complete: true });
    expect((await watched([undecided], { recovers: true })).exitCode).toBe(1);
    const hook = new Refusal('HOOK_FAILED', 'fix.sh ended with exit code 1');
    expect((await watched([FAILED], { recovers: true }, { rounds: [hook] })).exitCode).toBe(1);
  });

  it('torc watch --recover completes a recovery that was killed while it submitted, although an allocation waits; otherwise it waits', async () => {
    const submitted = status({ ready: 2 }, { pending_scheduled_nodes: 1 });
    const done = await watched([submitted, DONE], { recovers: true }, { isUnfinished: true });
    expect([done.exitCode, done.did]).toEqual([0, ['clean', 'recover']]);
    const whole = await watched([submitted, DONE], { recovers: true }, { isUnfinished: false });
    expect([whole.exitCode, whole.did]).toEqual([0, ['clean']]);
    const looking = await watched([submitted, DONE], { recovers: false }, { isUnfinished: true });
    expect([looking.exitCode, looking.did]).toEqual([0, ['clean']]);
  });

  it('torc watch goes on where a killed recovery had submitted everything, and ends where nothing could be submitted', async () => {
    const nothing = { ...ROUND, reset: 0, submitted: [], raised: 0, waiting: 2 };
    const submitted = status({ ready: 2 }, { pending_scheduled_nodes: 1 });
    const options = { rounds: [nothing], isUnfinished: true };
    expect((await watched([submitted, DONE], { recovers: true }, options)).exitCode).toBe(0);
    const none = await watched([STRANDED], { recovers: true }, { rounds: [nothing] });
    expect([none.exitCode, none.said]).toEqual([1, expect.stringContaining('no allocation could be submitted')]);
  });

  it('torc watch ends after three allocations in a row in which no job started, and says which jobs could run in none', async () => {
    const round = { ...ROUND, reset: 0, raised: 0, waiting: 2 };
    const fruitless = await watched(
      [STRANDED],
      { recovers: true },
      { rounds: [round], started: false, unrunnable: ['a is too long'] },
    );
    expect([fruitless.exitCode, fruitless.did.length]).toEqual([1, 3]);
    expect(fruitless.said).toContain(
      '3 allocation(s) in a row ended, and no job started in them (the last one is 7): a is too long',
    );
    const many = { ...round, submitted: ['7_0', '7_1', '7_2', '7_3'] };
    const atOnce = await watched([STRANDED], { recovers: true }, { rounds: [many], started: false });
    expect([atOnce.exitCode, atOnce.did.length]).toEqual([1, 1]);
    expect(atOnce.said).toContain('no job started in them (the last one is 7_3)');
    // The controller forgot them: nothing kept jobs from them.
    const forgotten = { rounds: [many], started: false, begun: 0 };
    expect((await watched([STRANDED, STRANDED, DONE], { recovers: true }, forgotten)).exitCode).toBe(0);
    const always = await watched([STRANDED], { recovers: true }, forgotten);
    expect([always.exitCode, always.did.length]).toEqual([1, 3]);
    const scheduling = { threshold: 5, cooldownMs: 0, strandedMs: 0 };
    const scheduled = await watched([STRANDED], { autoSchedule: scheduling }, { started: false });
    expect([scheduled.exitCode, scheduled.did.length]).toEqual([1, 3]);
  });

  it('torc watch goes on while jobs start in the allocations, or where there is no limit', async () => {
    const round = { ...ROUND, reset: 0, raised: 0, waiting: 2 };
    const ten = [...Array.from({ length: 10 }, () => STRANDED), DONE];
    const limited = await watched(ten, { recovers: true }, { rounds: [round] });
    expect([limited.exitCode, limited.did.length]).toEqual([0, 10]);
    const free = await watched(ten, { recovers: true, maxFruitless: 0 }, { rounds: [round], started: false });
    expect([free.exitCode, free.did.length]).toEqual([0, 10]);
    // A job that was lost has no result; it was seen to run, or its record was corrected.
    const seen = Array.from({ length: 5 }, () => [STRANDED, WORKING]).flat();
    const lost = await watched([...seen, DONE], { recovers: true }, { rounds: [round], started: false });
    expect(lost.exitCode).toBe(0);
    const SUBMITTED = status({ ready: 2 }, { pending_scheduled_nodes: 1 });
    const gone = Array.from({ length: 5 }, () => [STRANDED, SUBMITTED]).flat();
    const corrected = { rounds: [round], started: false, lost: 1 };
    expect((await watched([...gone, DONE], { recovers: true }, corrected)).exitCode).toBe(0);
    expect((await watched([...gone, DONE], { recovers: true }, { ...corrected, lost: 0 })).exitCode).toBe(1);
  });

  it('torc watch ends with the reason where jobs wait that no allocation can run', async () => {
    const reason = 'No partition found for resource requirements';
    const none = { ...ROUND, reset: 0, submitted: [], raised: 0, waiting: 2, warnings: [reason] };
    const recovering = await watched([STRANDED], { recovers: true }, { rounds: [none] });
    expect(recovering.said).toContain(`2 job(s) wait, and no allocation could be submitted for them: ${reason}`);
    const looking = await watched([STRANDED], {}, { unrunnable: ['a is too long'] });
    expect(looking.said).toMatch(/2 job\(s\) wait, and nothing runs them: .*: a is too long$/);
    const unbegun = await watched([STRANDED], {}, { unbegun: 'Allocation 7 ended' });
    expect(unbegun.said).toMatch(/Allocation 7 ended[^]*2 job\(s\) wait, and nothing runs them/);
    const autoSchedule = { threshold: 5, cooldownMs: 0, strandedMs: 0 };
    const scheduling = await watched([STRANDED], { autoSchedule }, { scheduled: [], unrunnable: [reason] });
    expect(scheduling.said).toContain(`for the jobs that wait: ${reason}`);
  });

  const active = (secondsLeft: number, holder = 'torc watch (process 7 on n1)') =>
    new Refusal(
      'RECOVERY_ACTIVE',
      `workflow 1 is being recovered by ${holder}; its lease ends in ${secondsLeft} s unless it is renewed`,
    );

  it('torc watch waits while another command recovers the workflow, and says once which one', async () => {
    const rounds = [active(60), active(57), active(54), ROUND];
    const failed = Array.from({ length: 4 }, () => FAILED);
    const done = await watched([...failed, DONE], { recovers: true }, { rounds });
    expect([done.exitCode, done.did]).toEqual([0, ['recover', 'recover', 'recover', 'recover']]);
    expect(done.said.match(/being recovered by/g)).toHaveLength(1);
    const other = [active(60), active(60, 'torc recover (process 8 on n1)'), ROUND];
    const twice = await watched([FAILED, FAILED, FAILED, DONE], { recovers: true }, { rounds: other });
    expect(twice.said.match(/being recovered by/g)).toHaveLength(2);
  });

  it('torc watch waits longer than the lease of a suspended command lasts, however often it looks, and not for ever', async () => {
    const often = Array.from({ length: 40 }, () => active(30));
    const failed = Array.from({ length: 41 }, () => FAILED);
    const soon = await watched([...failed, DONE], { recovers: true }, { rounds: [...often, ROUND], pollMs: 3_000 });
    expect(soon.exitCode).toBe(0);
    const never = await watched([FAILED], { recovers: true }, { rounds: [active(30)] });
    expect([never.exitCode, never.did.length]).toEqual([1, 11]);
  });

  it('torc watch that was suspended itself has not waited meanwhile', async () => {
    const rounds = [active(30), active(30), active(30), ROUND];
    const failed = Array.from({ length: 4 }, () => FAILED);
    const done = await watched([...failed, DONE], { recovers: true }, { rounds, pollMs: 3_600_000 });
    expect(done.exitCode).toBe(0);
  });

  it('corrects records of dead allocations, and recovers jobs that wait while nothing is alive', async () => {
    const done = await watched([WORKING, STRANDED, DONE], { recovers: true });
    expect([done.exitCode, done.did]).toEqual([0, ['clean', 'recover']]);
    const left = await watched([STRANDED]);
    expect([left.exitCode, left.said]).toEqual([1, expect.stringContaining('2 job(s) wait, and nothing runs them')]);
    expect((await watched([STRANDED, DONE], { isPersistent: true })).exitCode).toBe(0);
  });

  const IDLE_TEN_SECONDS = Array.from({ length: 5 }, () => STRANDED);

  it('torc watch ends with 1 and a sentence when for 10 s no runner works on a workflow and nothing is to come; --persistent watches on', async () => {
    const done = await watched([...IDLE_TEN_SECONDS, STRANDED, DONE]);
    expect([done.exitCode, done.said.split('\n')]).toEqual([
      1,
      [
        'No runner works on this workflow: waiting 10 s for one (--persistent watches on)',
        '2 job(s) wait, and nothing runs them: no runner is active, and no allocation is to come',
      ],
    ]);
    const persistent = await watched([...IDLE_TEN_SECONDS, STRANDED, DONE], { isPersistent: true });
    expect([persistent.exitCode, persistent.said]).toEqual([0, '✓ Workflow completed successfully (3 jobs)']);
  });

  it('torc watch waits for a runner that starts after it, and counts the 10 s anew when a runner has left', async () => {
    expect((await watched([...IDLE_TEN_SECONDS, WORKING, DONE])).exitCode).toBe(0);
    const twice = [...IDLE_TEN_SECONDS, WORKING, ...IDLE_TEN_SECONDS];
    expect((await watched([...twice, WORKING, DONE])).exitCode).toBe(0);
    expect((await watched([...twice, STRANDED, DONE])).exitCode).toBe(1);
  });

  it('torc watch goes on while an allocation is planned or another command recovers the workflow, and gives its creation a minute', async () => {
    const statuses = [...IDLE_TEN_SECONDS, ...IDLE_TEN_SECONDS, STRANDED];
    expect((await watched([...statuses, DONE], {}, { toCome: [true, true] })).exitCode).toBe(0);
    expect((await watched([...statuses, DONE], {}, { toCome: [true] })).exitCode).toBe(1);
    const created = { ...status({ uninitialized: 3 }), is_being_created: true };
    const minute = Array.from({ length: 30 }, () => created);
    expect((await watched([...minute, WORKING, DONE])).exitCode).toBe(0);
    expect((await watched([...minute, created, WORKING, DONE])).exitCode).toBe(1);
  });

  it('submits allocations for jobs that came up meanwhile: enough of them, or after the time for stranded ones', async () => {
    const autoSchedule = { threshold: 5, cooldownMs: 600_000, strandedMs: 180_000 };
    const working = Array.from({ length: 8 }, () => WORKING);
    const many = await watched([...working, DONE], { autoSchedule }, { extra: 5 });
    expect(many.did.filter((each) => each === 'schedule')).toHaveLength(1);
    const few = await watched([...working, DONE], { autoSchedule }, { extra: 1 });
    expect(few.did.filter((each) => each === 'schedule')).toHaveLength(1);
    expect((await watched([...working, DONE], { autoSchedule })).did).not.toContain('schedule');
    const left = await watched([STRANDED, DONE], { autoSchedule });
    expect([left.exitCode, left.did]).toEqual([0, ['schedule']]);
    expect((await watched([STRANDED], { autoSchedule }, { scheduled: [] })).exitCode).toBe(1);
  });

  const HALF = status({ ready: 2, running: 1 }, { active_compute_nodes: 1, active_scheduled_nodes: 1 });
  const replaces = (did: readonly string[]) => did.filter((each) => each.startsWith('replace'));

  it('torc watch --recover replaces allocations that are lost while others live and jobs wait, once each', async () => {
    const done = await watched([HALF, HALF, DONE], { recovers: true }, { lostAllocations: [[7, 8]] });
    expect([done.exitCode, replaces(done.did)]).toEqual([0, ['replace 107 108']]);
    expect(done.said).toContain('Lost allocation(s) 7, 8: 1 more submitted for the jobs that wait');
    const only = await watched([HALF, HALF, DONE], {}, { lostAllocations: [[7]] });
    expect(replaces(only.did)).toEqual([]);
    const busy = await watched([WORKING, HALF, DONE], { recovers: true }, { lostAllocations: [[7]] });
    expect(replaces(busy.did)).toEqual([]);
    const none = await watched([STRANDED, HALF, DONE], { recovers: true }, { lostAllocations: [[7]] });
    expect(replaces(none.did)).toEqual([]);
  });

  it('torc watch --recover leaves a lost allocation to another command that has recovered the workflow meanwhile', async () => {
    const active = async () => {
      throw new Refusal('RECOVERY_ACTIVE', 'being recovered by torc watch');
    };
    const statuses = [
      { ...HALF, run_id: 1 },
      { ...HALF, run_id: 2 },
      { ...HALF, run_id: 2 },
      { ...DONE, run_id: 2 },
    ];
    const done = await watched(statuses, { recovers: true }, { lostAllocations: [[7]], replaced: active });
    expect(replaces(done.did)).toEqual(['replace 107']);
  });

  it('torc watch --recover tries again to replace an allocation while another command submits, and no more where no job started in three lost ones', async () => {
    let tries = 0;
    const replaced = async () => {
      tries += 1;
      if (tries < 3) throw new Refusal('RECOVERY_ACTIVE', 'being submitted by torc submit');
      return 1;
    };
    const lostAllocations = [[7]];
    const done = await watched([HALF, HALF, HALF, DONE], { recovers: true }, { lostAllocations, replaced });
    expect(replaces(done.did)).toEqual(['replace 107', 'replace 107', 'replace 107']);
    const each = [[7], [8], [9], [10]];
    const some = [HALF, HALF, HALF, HALF, DONE];
    const fruitless = await watched(some, { recovers: true }, { lostAllocations: each, started: false });
    expect(replaces(fruitless.did)).toEqual(['replace 107', 'replace 108']);
    expect(fruitless.said).toContain('Lost allocation(s) 9, not replaced: no job started in 3 in a row');
    const free = await watched(some, { recovers: true, maxFruitless: 0 }, { lostAllocations: each, started: false });
    expect(replaces(free.did)).toHaveLength(4);
    expect(replaces((await watched(some, { recovers: true }, { lostAllocations: each })).did)).toHaveLength(4);
  });

  it('survives a server that is away, and says so once', async () => {
    const away = new Unreachable('the server does not answer');
    const done = await watched([WORKING, away, away, away, DONE]);
    expect([done.exitCode, done.said.match(/does not answer/g)?.length]).toEqual([0, 1]);
  });

  it('torc watch says once which program of Slurm does not answer and that it tries again, and once that it answers again', async () => {
    const fault = 'sacct cannot be asked: connection refused';
    const squeue = { asked: 'queue', program: 'squeue' } as const;
    const away = [squeue, { asked: 'accounting', program: 'sacct', fault }] as const;
    const looks = Array.from({ length: 6 }, () => WORKING);
    // In the last look but one nothing was left to ask sacct about.
    const replies = [
      away,
      away,
      away,
      [squeue],
      [squeue, { asked: 'accounting', program: 'sacct' }],
      [squeue],
    ] as const;
    const { said } = await watched([...looks, DONE], {}, { replies });
    expect(said.split('\n').slice(0, -1)).toEqual([`${fault}; trying again`, 'sacct answers again']);
    const answering = Array.from({ length: 6 }, () => [squeue, { asked: 'accounting', program: 'sacct' }] as const);
    expect((await watched([...looks, DONE], {}, { replies: answering })).said).not.toContain('answers');
  });

  it('torc watch ends for a workflow that does not exist', async () => {
    await expect(watched([new Error('no workflow 7')])).rejects.toThrow('no workflow 7');
  });
});
