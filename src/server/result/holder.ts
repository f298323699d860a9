import type { Refusal } from '../../core/contract/refusals.ts';
import { type End, fenceOff, refusalOfEnd } from './end.ts';
import type { EndingJob, ResultReportQueries } from './queries.ts';

/**
 * The decision about an end that the runner which holds the attempt reports; undefined if it is accepted.
 *
 * Either the runner holds the attempt, which has no result yet, or the report is late: known, or refused.
 */
export const createHolderAcceptance =
  (queries: ResultReportQueries) =>
  (end: End, job: EndingJob | undefined): 'known' | Refusal | undefined => {
    const refusal = refusalOfEnd(end, job) ?? fenceOff(end, job as EndingJob);
    return refusal !== undefined && isKnown(queries, end) ? 'known' : refusal;
  };

/** Whether the attempt already has a result. */
export const isKnown = (queries: ResultReportQueries, { jobId, runId, attemptId }: End): boolean =>
  queries.hasResult.get({ jobId, runId, attemptId }) !== undefined;
