import { filesOf, stdioOf } from '../../core/contract/files/job.ts';
import { unlink } from 'node:fs/promises';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import type { Crate } from './crate/crate.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../facts/log.ts';
import { type FailureCause, failureCauseOf } from '../../core/lifecycle/cause-verdict.ts';
import type { AllocationEnd, EndedFor } from '../../core/attempt/evidence.ts';
import { exitCodesOf, failsForStale, judge, type Verdict } from '../../core/attempt/judge.ts';
import { countRepeated, type Repeated } from '../../core/attempt/repeated.ts';
import type { Outbox } from '../ledger/outbox.ts';
import type { FailedCompletion } from './retry/decide.ts';
import type { Retry } from './retry/retry.ts';
import { causeFields } from './cause-fields.ts';
import type { Outputs, OutputsBefore } from './outputs.ts';
import { type KnownEnd, recordedUseOf, recordedOf } from './recorded.ts';
import { createOverRequests } from './over-request.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import type { RunFacts } from '../step/request.ts';
import type { StartedStep, StepEnd } from '../step/steps.ts';
import type { Watch } from '../observe/watch.ts';
import type { MeasuredAttempt } from '../observe/watched.ts';
import type { OverRequest, Tally } from '../facts/options.ts';

/** A started attempt of a job. */
export interface Attempt {
  readonly job: ClaimedJob;
  readonly step: StartedStep;
  startedAtMs: number;
  /** On the monotonic clock, for the duration. */
  startedAt: number;
  endedFor: EndedFor | undefined;
  wasKilled: boolean;
  /** The signal by which the runner asked it to end. */
  askedBy?: NodeJS.Signals;
  /** Its declared outputs when it began; absent if it has none. */
  readonly outputsBefore?: OutputsBefore | undefined;
  /** How its allocation is being ended. */
  allocationEnd?: AllocationEnd;
}

/** When a step ended, as soon as this was known: what is asked about its end later does not count as its time. */
export interface EndTime {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly seconds: number;
}

export const endTimeOf = (
  { startedAt }: Pick<Attempt, 'startedAt'>,
  { seconds }: Pick<StepEnd, 'seconds'>,
): EndTime => ({
  atMs: Date.now(),
  seconds: seconds ?? Math.max(0, performance.now() - startedAt) / 1000,
});

export interface AttemptOptions {
  readonly facts: RunFacts;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly watch: Watch | undefined;
  /** May retry attempts; without it every end is final. */
  readonly retry?: Retry | undefined;
  /** The memory that a job may use; undefined for one that asked for none. */
  readonly memoryLimitOf?: ((job: ClaimedJob) => number | undefined) | undefined;
  /** Records provenance; absent unless the workflow requests it. */
  readonly crate?: Crate | undefined;
  readonly log: Log;
  readonly onJobEnded?: ((job: ClaimedJob) => void) | undefined;
  /** An attempt ended that was watched. */
  readonly onMeasured?: ((attempt: MeasuredAttempt) => void) | undefined;
}

/** A job is over for this runner: it completed, or it will not complete here. Its end is in ledger and outbox. */
export type OnOver = (jobId: number, isCompleted: boolean) => void;

/** Why an attempt ended, as far as it is known. */
export interface EndCause {
  readonly endedFor?: EndedFor | undefined;
  readonly cause?: FailureCause | undefined;
}

/** The ends of attempts: determines the result of each, records it and reports it. */
export interface Attempts {
  readonly tally: Readonly<Tally>;
  readonly overMemory: OverRequest;
  readonly repeated: Repeated;
  /**
   * An attempt ended, with its declared outputs if they were looked at. The returned
   * promise resolves when the result is final; undefined means at once, which is nearly always the case.
   */
  finish(attempt: Attempt, end: EndTime, account: KnownEnd, outputs: Partial<Outputs>): Promise<void> | undefined;
  /** The same for an attempt that is judged already. */
  report(
    job: ClaimedJob,
    verdict: Verdict,
    end: EndTime,
    measured: Partial<Completion>,
    why?: EndCause,
  ): Promise<void> | undefined;
}

export function createAttempts(
  { facts, ledger, outbox, watch, retry, memoryLimitOf, crate, log, onJobEnded, onMeasured }: AttemptOptions,
  onOver: OnOver = () => {},
): Attempts {
  const tally: Tally = { completed: 0, failed: 0, terminated: 0 };
  const overMemory = createOverRequests();
  const fails = failsForStale(facts.execution);
  const repeated = new Map<string, number>();

  const send = (job: ClaimedJob, completion: Completion) => {
    ledger.end(completion);
    outbox.completed(completion);
    const { status } = completion;
    onOver(completion.job_id, status === 'completed');
    tally[status === 'completed' || status === 'terminated' ? status : 'failed'] += 1;
    onJobEnded?.(job);
  };

  /** The next attempt may run elsewhere: so a job that runs again is over here. */
  const takeOrRetry = (retry: Retry, job: ClaimedJob, failed: FailedCompletion): Promise<void> | undefined => {
    let isReported = false;
    const settled = retry.take(job, failed, (end) => {
      isReported = true;
      send(job, end);
    });
    const look = () => {
      if (isReported) return;
      countRepeated(repeated, failed.completion);
      onOver(job.id, false);
    };
    if (settled !== undefined) return settled.then(look);
    look();
    return undefined;
  };

  const report: Attempts['report'] = (job, { status, returnCode }, { atMs, seconds }, measured, why = {}) => {
    const completion: Completion = {
      job_id: job.id,
      attempt_id: job.attempt_id,
      status,
      return_code: returnCode,
      exec_time_minutes: seconds / 60,
      completion_time: new Date(atMs).toISOString(),
      ...measured,
    };
    log.write('info', 'Job completed', {
      workflow_id: facts.workflowId,
      job_id: job.id,
      run_id: facts.runId,
      attempt_id: job.attempt_id,
      return_code: returnCode,
      status,
      exec_time_s: seconds.toFixed(3),
    });
    // A canceled job must not run again.
    if (retry !== undefined && status !== 'completed' && why.endedFor !== 'cancel')
      return takeOrRetry(retry, job, { completion, cause: why.cause });
    send(job, completion);
    if (status === 'completed') crate?.completed(job, completion);
    return undefined;
  };

  const finish: Attempts['finish'] = (attempt, end, account, { missing = [], stale = [], files }) => {
    const { job, step, startedAtMs, endedFor } = attempt;
    const observed = watch?.end(step.id);
    const figures = recordedUseOf(account, end.seconds, observed);
    const { peak_memory_bytes: peakBytes = 0 } = figures;
    const askedBytes = memoryLimitOf?.(job) ?? Infinity;
    const memoryShare = (peakBytes ?? 0) / askedBytes;
    const { wasKilled, allocationEnd } = attempt;
    const outputs = { missingOutputs: missing, staleOutputs: stale, failsForStale: fails };
    const evidence = { ...account, endedFor, wasKilled, allocationEnd, ...outputs, memoryShare };
    const verdict = judge(evidence, exitCodesOf(facts.execution));
    if (missing.length > 0 && verdict.status !== 'completed') {
      log.write('warn', 'Job did not write declared output files', {
        job_id: job.id,
        job_name: job.name,
        missing: missing.join(', '),
      });
    }
    if (verdict.cause === 'stale_output')
      log.write('warn', 'Job did not touch declared output files that were there before', {
        job_id: job.id,
        job_name: job.name,
        untouched: stale.join(', '),
      });
    if (memoryShare > 1 && verdict.cause !== 'memory') {
      overMemory.add(job, peakBytes ?? 0, askedBytes);
      log.write('warn', 'Job used more memory than it asked for', {
        workflow_id: facts.workflowId,
        job_id: job.id,
        used: sizeText(peakBytes ?? 0),
        asked: sizeText(askedBytes),
      });
    }
    const known = { ...evidence, peakBytes: peakBytes ?? 0, askedBytes };
    const measured = { ...recordedOf(account, figures, files), ...causeFields(verdict, known, account.cause) };
    if (observed !== undefined) onMeasured?.({ job, startedAtMs, seconds: end.seconds, observed, measured });
    if (verdict.status === 'completed') deleteOutput(facts, job);
    const cause = allocationEnd === 'preempted' ? 'node' : failureCauseOf(verdict.cause);
    return report(job, verdict, end, measured, { endedFor, cause });
  };

  return { tally, overMemory, repeated, finish, report };
}

/** Deletes the output of a job that completed, if its workflow says so. */
function deleteOutput(facts: RunFacts, job: ClaimedJob): void {
  if (!stdioOf(facts.execution, job.name).delete_on_success) return;
  const { stdout, stderr } = filesOf(facts, job);
  for (const path of new Set([stdout, stderr])) if (path !== undefined) void unlink(path).catch(() => {});
}
