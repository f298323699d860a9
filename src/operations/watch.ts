import { ServiceError, Unreachable } from '../client/errors.ts';
import type { LostAllocation } from './orphans/clean.ts';
import type { SlurmJob } from '../core/allocation/slurm-job.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { attemptLine, type Fixes, fixesLines, noneLine, RESUMING } from '../core/lifecycle/recovery-lines.ts';

/** What one round of recovery did. */
export interface Round {
  readonly reset: number;
  /** Allocations. */
  readonly submitted: readonly SlurmJob[];
  /** Requirements that were raised. */
  readonly raised: number;
  readonly waiting: number;
  /** Why nothing could be planned for some jobs. */
  readonly warnings: readonly string[];
  readonly fixes: Fixes;
  /** The failures that are repeated, as text: equal texts are the same jobs that failed for the same reasons. */
  readonly failures: string;
  /** The command that a person has to run next; undefined where allocations were submitted. */
  readonly next: string | undefined;
}

export interface Corrected {
  /** Jobs that had run. */
  readonly jobs: number;
  readonly lost: readonly LostAllocation[];
}

/** How `watch` acts on its workflow. */
export interface WatchTools {
  status(): Promise<WorkflowStatus>;
  /** Corrects the records of what ended without a report. */
  clean(): Promise<Corrected>;
  recover(): Promise<Round>;
  /** Whether a recovery was killed while it submitted allocations: some of them may wait or run. */
  isUnfinished(): Promise<boolean>;
  /** Plans an allocation in the place of each of these, and returns how many; the next look at the status submits them. */
  replace(lost: readonly LostAllocation[]): Promise<number>;
  /** Submits allocations for jobs that wait. */
  schedule(): Promise<Pick<Round, 'submitted' | 'warnings'>>;
  /** How many of these allocations have begun, as far as Slurm knows; those that vanish from the queue have not. */
  begun(allocations: readonly SlurmJob[]): Promise<number>;
  /** Whether a job started in one of these allocations. */
  hasStarted(allocations: readonly SlurmJob[]): Promise<boolean>;
  /** Sentences about ready jobs that no allocation of the workflow could ever run. */
  unrunnable(): Promise<readonly string[]>;
  /** Ready jobs without labels that are retried or were spawned: no planned allocation is theirs. */
  extraJobs(): Promise<number>;
  /** Why jobs did not end well, a line each. */
  causes(): Promise<readonly string[]>;
  wait(): Promise<void>;
  nowMs(): number;
  tell(level: 'info' | 'warn' | 'error', words: string): void;
  showCounts(status: WorkflowStatus): void;
}

export interface WatchOptions {
  readonly recovers: boolean;
  /** Undefined for no limit. */
  readonly maxRetries: number | undefined;
  /** Ends after so many allocations in a row in which no job started; 0 for no limit. */
  readonly maxFruitless: number;
  readonly isPersistent: boolean;
  readonly asksAgent: boolean;
  readonly autoSchedule:
    | { readonly threshold: number; readonly cooldownMs: number; readonly strandedMs: number }
    | undefined;
}

/** The decision of one look at the workflow. */
type Step = 'wait' | 'recover' | 'replace' | 'schedule' | { readonly exitCode: number };

interface Memory {
  rounds: number;
  refusals: number;
  scheduledAtMs: number | undefined;
  extraSinceMs: number | undefined;
  lastRound: string | undefined;
  /** Causes that were told since the last recovery. */
  told: Set<string>;
  /** Allocations that were submitted last, and those in a row before them in which no job started. */
  submitted: readonly SlurmJob[];
  fruitless: number;
  /** Allocations that were lost while others live, and that nothing replaces yet. */
  lost: readonly LostAllocation[];
  /** The run in which they were lost. */
  lostInRun: number | undefined;
  /** A job was seen to run since then. */
  hasSeenRunning: boolean;
  /** Not known to be untrue: the last recovery was killed. */
  mayBeUnfinished: boolean;
  isAway: boolean;
}

/**
 * Watches a workflow until it ends, and recovers it where that is asked for. Returns the exit code.
 *
 * A recovery that was killed is completed first, although some of its allocations may wait or run already.
 *
 * Where it recovers, an allocation that is lost while others live is replaced at once if jobs wait; its own jobs follow in the
 * next round of recovery.
 *
 * A server or a controller that cannot be reached is waited for. It ends when a round of recovery raised nothing and the
 * same jobs failed for the same reasons without any other job having completed: the next round would be the same. It ends too
 * after some allocations in a row in which no job started, because whatever keeps jobs from them keeps them from the next ones.
 */
export async function watchWorkflow(tools: WatchTools, options: WatchOptions): Promise<number> {
  const memory: Memory = {
    rounds: 0,
    refusals: 0,
    scheduledAtMs: undefined,
    extraSinceMs: undefined,
    lastRound: undefined,
    told: new Set(),
    submitted: [],
    fruitless: 0,
    lost: [],
    lostInRun: undefined,
    hasSeenRunning: false,
    mayBeUnfinished: options.recovers,
    isAway: false,
  };
  for (;;) {
    try {
      const step = await look(tools, options, memory);
      if (memory.isAway) tools.tell('info', 'The server answers again');
      memory.isAway = false;
      if (typeof step === 'object') return step.exitCode;
      const end = step === 'recover' ? await round(tools, options, memory) : undefined;
      if (end !== undefined) return end;
      if (step === 'replace') await replaced(tools, options, memory);
      if (step === 'schedule') {
        const { submitted, warnings } = await scheduled(tools, memory);
        if (submitted.length === 0 && !options.isPersistent) {
          tools.tell('error', withReasons('No allocation could be submitted for the jobs that wait', warnings));
          return 1;
        }
      }
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!memory.isAway) tools.tell('warn', `${(error as Error).message}; trying again`);
      memory.isAway = true;
    }
    await tools.wait();
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500);

async function look(tools: WatchTools, options: WatchOptions, memory: Memory): Promise<Step> {
  let status = await tools.status();
  tools.showCounts(status);
  if (status.is_canceled) return ended(tools, 'The workflow was canceled', 1);
  const aliveBefore = alive(status);
  // Work without a runner, and records of what may have ended: Slurm and the hosts are asked.
  if (aliveBefore > 0 || busy(status) > 0) {
    const runId = status.run_id ?? undefined;
    const { jobs, lost } = await tools.clean();
    memory.hasSeenRunning ||= jobs > 0;
    if (options.recovers && lost.length > 0) {
      memory.lost = [...memory.lost, ...lost];
      memory.lostInRun = runId;
    }
    status = await tools.status();
    // Another command has recovered it meanwhile, and has submitted what is missing.
    if ((status.run_id ?? undefined) !== memory.lostInRun) memory.lost = [];
  }
  const { jobs_by_status: jobs } = status;
  memory.hasSeenRunning ||= jobs.running > 0;
  const failed = jobs.failed + jobs.terminated + jobs.canceled;
  if (status.is_complete || waiting(status) + busy(status) === 0) {
    if (failed + jobs.pending_failed === 0)
      return ended(tools, `✓ Workflow completed successfully (${jobs.completed} jobs)`, 0);
    // Its runners leave within a few seconds.
    if (alive(status) > 0) return 'wait';
    for (const line of failureLines(status)) tools.tell('info', line);
    await tellCauses(tools, memory);
    const isUndecided = failed === 0 && jobs.pending_failed > 0 && !options.asksAgent;
    if (isUndecided) return ended(tools, `${jobs.pending_failed} job(s) wait for a decision (pending_failed)`, 1);
    return options.recovers ? 'recover' : ended(tools, `The workflow is complete, and ${failed} job(s) failed`, 1);
  }
  if (memory.mayBeUnfinished && waiting(status) > 0 && (await tools.isUnfinished())) return 'recover';
  memory.mayBeUnfinished = false;
  if (alive(status) + busy(status) > 0) {
    if (waiting(status) === 0) memory.lost = [];
    return memory.lost.length > 0 ? 'replace' : extra(tools, options, memory);
  }
  if (failed > 0) await tellCauses(tools, memory);
  const fruitless = await fruitlessWords(tools, options, memory);
  if (fruitless !== undefined) return ended(tools, fruitless, 1);
  if (options.recovers) return 'recover';
  if (options.autoSchedule !== undefined) return 'schedule';
  if (options.isPersistent) return 'wait';
  const words = `${waiting(status)} job(s) wait, and no allocation is left for them`;
  return ended(tools, withReasons(words, await tools.unrunnable()), 1);
}

const withReasons = (words: string, reasons: readonly string[]): string =>
  reasons.length === 0 ? words : `${words}: ${reasons.join('; ')}`;

/** Why it is useless to submit more: allocations have ended one after another, and no job started in them. */
async function fruitlessWords(
  tools: WatchTools,
  { maxFruitless }: WatchOptions,
  memory: Memory,
): Promise<string | undefined> {
  const { submitted, hasSeenRunning } = memory;
  if (submitted.length === 0) return undefined;
  // A controller that is killed forgets what was submitted just before: that counts once, whatever the number.
  memory.fruitless =
    hasSeenRunning || (await tools.hasStarted(submitted))
      ? 0
      : memory.fruitless + Math.max(1, await tools.begun(submitted));
  memory.submitted = [];
  memory.hasSeenRunning = false;
  if (maxFruitless === 0 || memory.fruitless < maxFruitless) return undefined;
  const last = submitted.at(-1);
  // The output of a task is named by an id that it got when it started.
  const output = typeof last === 'number' ? `; its output is slurm_output_*_sl${last}.e` : '';
  const words = `${memory.fruitless} allocation(s) in a row ended, and no job started in them (the last one is Slurm job ${last}${output})`;
  return withReasons(words, await tools.unrunnable());
}

const waiting = ({ jobs_by_status: jobs }: WorkflowStatus) => jobs.ready + jobs.blocked + jobs.uninitialized;
const busy = ({ jobs_by_status: jobs }: WorkflowStatus) => jobs.running + jobs.pending;
const alive = (status: WorkflowStatus) =>
  status.active_compute_nodes + status.pending_scheduled_nodes + status.active_scheduled_nodes;

async function tellCauses({ causes, tell }: WatchTools, { told }: Memory): Promise<void> {
  for (const line of await causes()) {
    if (!told.has(line)) tell('warn', line);
    told.add(line);
  }
}
/** The lines of Torc 1.0.0. */
const failureLines = ({ jobs_by_status: jobs }: WorkflowStatus): string[] => [
  'Workflow completed with failures:',
  `  - Failed: ${jobs.failed}`,
  `  - Canceled: ${jobs.canceled}`,
  `  - Terminated: ${jobs.terminated}`,
  ...(jobs.pending_failed === 0 ? [] : [`  - Pending Failed: ${jobs.pending_failed}`]),
  `  - Completed: ${jobs.completed}`,
];

function ended({ tell }: WatchTools, words: string, exitCode: number): Step {
  tell(exitCode === 0 ? 'info' : 'error', words);
  return { exitCode };
}

/** Whether jobs that came up meanwhile are enough, or wait long enough, for allocations of their own. */
async function extra(tools: WatchTools, { autoSchedule }: WatchOptions, memory: Memory): Promise<Step> {
  if (autoSchedule === undefined) return 'wait';
  const jobs = await tools.extraJobs();
  const now = tools.nowMs();
  memory.extraSinceMs = jobs === 0 ? undefined : (memory.extraSinceMs ?? now);
  const { threshold, cooldownMs, strandedMs } = autoSchedule;
  const isCool = memory.scheduledAtMs === undefined || now - memory.scheduledAtMs >= cooldownMs;
  const isStranded = memory.extraSinceMs !== undefined && now - memory.extraSinceMs >= strandedMs;
  return jobs > 0 && isCool && (jobs >= threshold || isStranded) ? 'schedule' : 'wait';
}

/** Another command that submits is waited for: the next look tries again. */
async function replaced(tools: WatchTools, { maxFruitless }: WatchOptions, memory: Memory): Promise<void> {
  const { lost } = memory;
  const names = lost.map(({ slurmJobId }) => slurmJobId);
  const hasStarted = await tools.hasStarted(names);
  const fruitless = hasStarted ? 0 : memory.fruitless + lost.length;
  if (maxFruitless > 0 && fruitless >= maxFruitless) {
    tools.tell('warn', `Lost allocation(s) ${names.join(', ')}, not replaced: no job started in ${fruitless} in a row`);
  } else {
    try {
      const count = await tools.replace(lost);
      if (count > 0)
        tools.tell('info', `Lost allocation(s) ${names.join(', ')}: ${count} more submitted for the jobs that wait`);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'RECOVERY_ACTIVE')) throw error;
      return;
    }
  }
  memory.fruitless = fruitless;
  memory.lost = [];
}

async function scheduled(tools: WatchTools, memory: Memory): Promise<Pick<Round, 'submitted' | 'warnings'>> {
  const done = await tools.schedule();
  memory.submitted = [...memory.submitted, ...done.submitted];
  memory.scheduledAtMs = tools.nowMs();
  memory.extraSinceMs = undefined;
  tools.tell('info', `Submitted ${done.submitted.length} allocation(s) for jobs that wait`);
  return done;
}

/** More refusals in a row: what another command does takes longer than a lease. */
const MOST_REFUSALS = 10;

/** One round of recovery; the exit code if it was the last. */
async function round(tools: WatchTools, { maxRetries }: WatchOptions, memory: Memory): Promise<number | undefined> {
  if (maxRetries !== undefined && memory.rounds >= maxRetries) {
    tools.tell(
      'error',
      `Max retries (${maxRetries}) exceeded. Manual intervention required: the workflow failed again after ${memory.rounds} recoveries, the maximum`,
    );
    return 1;
  }
  tools.tell('info', attemptLine(memory.rounds + 1, maxRetries));
  const before = await tools.status();
  let done: Round;
  try {
    done = await tools.recover();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tools.tell('warn', error.message);
    memory.refusals += 1;
    const isFinal = error.code === 'HOOK_FAILED' || memory.refusals >= MOST_REFUSALS;
    return isFinal ? 1 : undefined;
  }
  memory.refusals = 0;
  memory.told.clear();
  memory.mayBeUnfinished = false;
  memory.rounds += 1;
  memory.submitted = done.submitted;
  memory.lost = [];
  memory.hasSeenRunning = false;
  // These had started.
  if (done.reset > 0) memory.fruitless = 0;
  const status = await tools.status();
  const { jobs_by_status: after, is_complete: isComplete } = status;
  // The results of all its jobs were found in journals or in the accounting.
  if (isComplete && after.failed + after.terminated + after.canceled + after.pending_failed === 0) return undefined;
  for (const line of fixesLines(done.fixes)) tools.tell('info', line);
  if (done.reset + done.waiting === 0) {
    tools.tell('error', `${noneLine(done.fixes)} No job can be run again: every failure needs a person`);
    return 1;
  }
  tools.tell(
    'info',
    `Recovery ${memory.rounds}: ${done.reset} job(s) reset, ${done.raised} requirement(s) raised, ${done.submitted.length} allocation(s) submitted`,
  );
  if (done.next !== undefined) {
    tools.tell('error', `No allocation runs these jobs. Run them: ${done.next}`);
    return 1;
  }
  if (done.reset + done.submitted.length === 0) {
    // A recovery that was killed at its end had submitted them all.
    if (alive(status) > 0) return resume(tools);
    const words = `${done.waiting} job(s) wait, and no allocation could be submitted for them`;
    tools.tell('error', withReasons(words, done.warnings));
    return 1;
  }
  const outcome = `${before.jobs_by_status.completed} ${done.failures}`;
  const isSame = done.raised === 0 && done.reset > 0 && outcome === memory.lastRound;
  memory.lastRound = outcome;
  if (!isSame) return resume(tools);
  tools.tell(
    'error',
    'The same jobs failed again for the same reasons, no other completed, and nothing was raised: the next round would be the same',
  );
  return 1;
}

function resume({ tell }: WatchTools): undefined {
  tell('info', RESUMING);
}
