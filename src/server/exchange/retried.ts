import type { RaisedNeed } from '../../core/contract/exchange.ts';
import { statusCode } from '../../core/contract/job.ts';
import { runAgain } from '../recover/again.ts';
import type { RecoverQueries } from '../recover/queries.ts';
import type { Accept, Acceptance } from '../result/accept.ts';
import { type End, resultOfEnd, startOfEnd, statsOfEnd } from '../result/end.ts';
import { createHolderAcceptance } from '../result/holder.ts';
import type { EndingJob, ResultReportQueries } from '../result/queries.ts';
import { refuseTooEarly } from '../result/too-early.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import { createRaise } from '../records/requirements/raise.ts';
import type { Store } from '../records/store.ts';

/** A failed attempt whose job is to be retried. */
export interface RetriedEnd extends End {
  /** From the rule: the number of attempts, not of repetitions. */
  readonly maxRetries: number;
  /** Requirements of the next attempt. */
  readonly raise: RaisedNeed | undefined;
  /** The attempt counts for no failure handler. */
  readonly isRefunded: boolean;
}

/**
 * Processes the ends of attempts whose jobs are retried: each result stays in the history, and its job becomes ready as
 * a new attempt, both in the same transaction. So no client sees a failed job that is about to be retried, and no crash
 * can separate the two.
 *
 * The job does not refer to the result: lists show the result of the last attempt of a job. If the rule allows no
 * further attempt, the attempt is the last one, regardless of the runner's report.
 */
export const createRetried = (
  store: Store,
  { results, recover, accept }: { results: ResultReportQueries; recover: RecoverQueries; accept: Accept },
) => {
  const { db, changes, now } = store;
  const raise = createRaise(store);
  const verdictOf = createHolderAcceptance(results);
  const held = createHeldAttempts(db, changes);

  return (workflowId: number, ends: readonly RetriedEnd[]): Acceptance[] => {
    const begun: object[] = [];
    const retried: object[] = [];
    const verdicts = ends.map((end): Acceptance => {
      const job = results.job.get({ id: end.jobId });
      const counted = end.attemptId - (job?.refunded_attempts ?? 0);
      if (counted >= end.maxRetries) return accept(workflowId, [end], 'holder')[0] as Acceptance;
      const verdict = refuseTooEarly(results, end, job) ?? verdictOf(end, job);
      if (verdict !== undefined) {
        held.over(end);
        return verdict;
      }
      const failed = job as EndingJob;
      if (failed.status === PENDING) begun.push(startOfEnd(end, failed.name));
      results.insertResults([resultOfEnd(end)]);
      if (end.slurmStats) results.insertStats.run(statsOfEnd(end));
      results.letGo.run({ id: end.jobId });
      runAgain(recover, failed, end.runId, now());
      if (end.isRefunded) recover.refund.run({ id: end.jobId });
      const raised = end.raise && raise(end.jobId, end.raise);
      retried.push({
        job_id: end.jobId,
        job_name: failed.name,
        status: end.status,
        return_code: end.returnCode,
        attempt_id: end.attemptId,
        ...(raised === undefined ? {} : { raised }),
      });
      return 'accepted';
    });
    if (begun.length > 0) changes.record(workflowId, 'job_started', begun);
    if (retried.length > 0) {
      changes.record(workflowId, 'job_retried', retried);
      changes.record(workflowId, 'jobs_ready', [{ jobs: retried.length }]);
    }
    return verdicts;
  };
};

export type RetriedEnds = ReturnType<typeof createRetried>;

const PENDING = statusCode.pending;
