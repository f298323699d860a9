import type { JobRow } from '../records/rows/job.ts';
import type { RecoverQueries } from './queries.ts';

type Failed = Readonly<Pick<JobRow, 'id' | 'workflow_id' | 'name' | 'attempt_id'>>;

/** Makes a job ready again as a new attempt, and creates the same event as Torc 1.0.0. */
export function runAgain(
  queries: RecoverQueries,
  { id, workflow_id: workflowId, name, attempt_id: attempt }: Failed,
  runId: number,
  nowMs: number,
): void {
  queries.retry.run({ id });
  queries.writeEvent.run({
    workflowId,
    timestamp: nowMs,
    data: JSON.stringify({
      event_type: 'job_retried',
      job_id: id,
      job_name: name,
      previous_attempt: attempt,
      new_attempt: attempt + 1,
      run_id: runId,
      message: `Job ${name} runs again as attempt ${attempt + 1}`,
    }),
  });
}
