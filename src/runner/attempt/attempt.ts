import type { EndedFor } from '../../core/attempt/evidence.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Lease } from '../claim/capacity.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { StartedStep, StepEnd, Steps } from '../step/steps.ts';
import { openProtected } from './protect.ts';
import { comparesContents } from '../../core/attempt/execution.ts';
import { createFileHashes } from '../../cluster/file-hash.ts';
import { lookBefore, type OutputsBefore, fileStats } from './outputs.ts';
import type { InputStamps } from '../../core/contract/result.ts';

/*
 * An attempt of a job, from its begin until its result is final. Each state is a value, and one verb makes the next of it:
 *
 *   begin   (here)             the step runs                                            Attempt
 *   end     (held/ends.ts)     the step has ended; its resources are free               EndedAttempt
 *   gather  (evidence.ts)      what is known of the end, also what has to be asked      KnownEnd
 *   judge   (result.ts)        the result                                               JudgedAttempt
 *   report  (report.ts)        the result, or a retry, is in ledger and outbox: the attempt is settled
 *
 * What is known at once is used at once: most attempts pass all states within the call that reported the end of their step.
 */

/** A started attempt of a job. */
export interface Attempt {
  readonly job: ClaimedJob;
  readonly step: StartedStep;
  startedAtMs: number;
  /** On the monotonic clock, for the duration. */
  startedAt: number;
  /** Its start is reported and logged. */
  isBegun: boolean;
  endedFor: EndedFor | undefined;
  wasKilled: boolean;
  /** The signal by which the runner asked it to end. */
  askedBy?: NodeJS.Signals;
  /** Its declared outputs when it began; absent if it has none. */
  readonly outputsBefore?: OutputsBefore | undefined;
  /** Its inputs when it began; absent if it has none, or was not seen to begin. */
  inputs?: LookedAtInputs | undefined;
}

/** An attempt whose step has ended, and when, as soon as this was known: what is asked about its end later does not count as its time. */
export interface EndedAttempt {
  readonly attempt: Attempt;
  readonly stepEnd: StepEnd;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly seconds: number;
}

/** Starts an attempt; with `after` it is sent ahead, see `Steps.start`. Throws `LaunchError` if it cannot be started. */
export function beginAttempt(
  { ledger }: CurrentRun,
  steps: Pick<Steps, 'start'>,
  job: ClaimedJob,
  lease: Lease,
  after: StepId | undefined,
): Attempt {
  const startedAtMs = Date.now();
  const startedAt = performance.now();
  ledger.start(job.id, job.attempt_id);
  openProtected(job);
  const outputsBefore = lookBefore(job);
  const step = steps.start(job, lease, after);
  return { job, step, startedAtMs, startedAt, isBegun: false, endedFor: undefined, wasKilled: false, outputsBefore };
}

/** The step is seen to have begun this long ago, after a wait that is not its time. */
export function beganLater(attempt: Attempt, agoMs: number): void {
  // A time of day, and no duration: the other clock has that.
  const nowMs = Date.now();
  attempt.startedAtMs = nowMs - agoMs;
  attempt.startedAt = performance.now() - agoMs;
}

/** Reports the start of an attempt, and looks at its inputs: those of one that was sent ahead may not have been written before. */
export function reportBegin(run: CurrentRun, attempt: Attempt): void {
  const { job, startedAtMs } = attempt;
  attempt.inputs = lookAtInputs(job, comparesContents(run.execution));
  run.outbox.started({ job_id: job.id, attempt_id: job.attempt_id, atMs: startedAtMs });
  logBegin(run, attempt);
}

/** Logs the start of an attempt once; the end of one that was not seen to begin reports both. */
export function logBegin({ workflowId, log }: CurrentRun, attempt: Attempt): void {
  if (attempt.isBegun) return;
  const { job, step } = attempt;
  attempt.isBegun = true;
  log.write('info', 'Job started', { workflow_id: workflowId, job_id: job.id, job_name: job.name, ...step.about });
}

/** The attempt as it is now that its step has ended. */
export const endedAttempt = <Some extends Attempt>(
  attempt: Some,
  stepEnd: StepEnd,
): EndedAttempt & { readonly attempt: Some } => ({
  attempt,
  stepEnd,
  atMs: Date.now(),
  seconds: stepEnd.seconds ?? Math.max(0, performance.now() - attempt.startedAt) / 1000,
});

/** The inputs of an attempt as they were when it began; those that could not be looked at are left out. */
type LookedAtInputs = Promise<InputStamps>;

/**
 * Looks at the inputs of an attempt as it begins, off the main thread: what changes later is newer than what the attempt says it read,
 * so at worst its job runs once more. With `hashes` it reads them, too. Undefined for a job without inputs.
 */
export function lookAtInputs({ input_files: inputs }: ClaimedJob, hashes = false): LookedAtInputs | undefined {
  if (!inputs || inputs.length === 0) return undefined;
  return fileStats(inputs.map(({ path }) => path)).then(async (found) => {
    const stamps = await Promise.all(
      inputs.map(async ({ id, path }) => {
        const stats = found.get(path);
        if (stats === undefined) return [];
        const hash = hashes ? await hashOf(path) : undefined;
        const stamp = { id, st_mtime: stats.mtimeMs / 1000, st_size: stats.size };
        return [hash === undefined ? stamp : { ...stamp, hash }];
      }),
    );
    return stamps.flat();
  });
}

const hashOf = createFileHashes();
