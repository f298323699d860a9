import type { Refusal } from '../../core/contract/refusals.ts';
import { type End, fenceOff, refusalOfEnd } from './end.ts';
import type { EndedJob, ResultQueries } from './queries.ts';

/**
 * What becomes of an end that the runner which holds the attempt reports; undefined when there is nothing against it.
 *
 * It is either of an attempt that the runner holds, which has no result yet, or late: known, or refused.
 */
export const createHolderVerdict =
  (queries: ResultQueries) =>
  (end: End, job: EndedJob | undefined): 'known' | Refusal | undefined => {
    const refusal = refusalOfEnd(end, job) ?? fenceOff(end, job as EndedJob);
    return refusal !== undefined && isKnown(queries, end) ? 'known' : refusal;
  };

/** Has the attempt a result already? */
export const isKnown = (queries: ResultQueries, { jobId, runId, attemptId }: End): boolean =>
  queries.hasResult.get({ jobId, runId, attemptId }) !== undefined;
