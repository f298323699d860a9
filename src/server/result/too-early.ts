import { statusCode } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { EndingJob, ResultReportQueries } from './queries.ts';

/** The attempt that a runner reports. */
interface Reported {
  readonly jobId: number;
  readonly attemptId: number;
  readonly nodeId: number;
}

/**
 * Refuses the report of a job that a runner claimed ahead and started, although not every job that it waits for has
 * completed here. Undefined for every other report.
 *
 * It happens when the end of one of those jobs was refused, because that job was reset or reported by another caller
 * meanwhile. The job that started too early waits on as its next attempt, because this attempt has run.
 */
export function refuseTooEarly(
  queries: ResultReportQueries,
  { jobId, attemptId, nodeId }: Reported,
  job: EndingJob | undefined,
): Refusal | undefined {
  if (job === undefined || job.status !== statusCode.blocked) return undefined;
  if (job.claimed_by !== nodeId || job.attempt_id !== attemptId) return undefined;
  queries.leaveBehind.run({ id: jobId });
  return new Refusal(
    'RUN_SUPERSEDED',
    `job_id=${jobId} was started ahead by compute node ${nodeId}, and a job that it waits for has not completed`,
    { job_id: jobId },
  );
}
