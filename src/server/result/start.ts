import type { Start } from '../../core/contract/exchange.ts';
import { statusOf } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import { missingRecord } from '../records/find.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { JobRow } from '../records/rows/job.ts';
import type { Store } from '../records/store.ts';
import type { EndingJob, ResultReportQueries } from './queries.ts';
import { refuseTooEarly } from './too-early.ts';

/**
 * Stores starts of a runner's jobs, and returns the refused ones.
 *
 * A known start is skipped. For a job that ended in the same exchange no start is needed: it goes from pending directly
 * to its end, and the row is written once instead of twice.
 */
export const createBegin = ({ db, changes }: Store, queries: ResultReportQueries) => {
  const held = createHeldAttempts(db, changes);
  const tooEarly = ({ job_id: jobId, attempt_id: attemptId }: Start, nodeId: number, job: EndingJob | undefined) => {
    const refusal = refuseTooEarly(queries, { jobId, attemptId, nodeId }, job);
    // Its process runs until the runner reports the end.
    if (refusal !== undefined) held.keepAttempt({ jobId, attemptId, nodeId });
    return refusal;
  };
  return (workflowId: number, runId: number, nodeId: number, starts: readonly Start[]): JobCompletionError[] => {
    const errors: JobCompletionError[] = [];
    const begun: object[] = [];
    for (const start of starts) {
      const { job_id: id, start_time: startTime } = start;
      const job = queries.job.get({ id });
      const verdict = tooEarly(start, nodeId, job) ?? verdictOf(start, job, workflowId, nodeId);
      if (verdict === 'known') continue;
      if (verdict instanceof Refusal) {
        errors.push({ job_id: id, message: verdict.message, code: verdict.code });
        continue;
      }
      queries.start.run({ id, nodeId, startTime });
      begun.push({ job_id: id, job_name: job?.name, compute_node_id: nodeId, run_id: runId });
    }
    if (begun.length > 0) changes.record(workflowId, 'job_started', begun);
    return errors;
  };
};

export type Begin = ReturnType<typeof createBegin>;

function verdictOf(
  { job_id: id, attempt_id: attempt }: Start,
  job: EndingJob | undefined,
  workflowId: number,
  nodeId: number,
): Refusal | 'known' | undefined {
  if (job === undefined || job.workflow_id !== workflowId)
    return new Refusal('NOT_FOUND', `Job not found with ID: ${id}`);
  const status = statusOf(job.status);
  if (job.attempt_id === attempt && job.claimed_by === nodeId) {
    if (status === 'pending') return undefined;
    if (status === 'running') return 'known';
  }
  // The end of the attempt is known as well: a reply was lost, and the exchange is repeated.
  if (job.attempt_id === attempt && job.claimed_by === null && status !== 'ready') return 'known';
  return new Refusal('RUN_SUPERSEDED', `job_id=${id} is not held by compute node ${nodeId} in attempt ${attempt}`, {
    job_id: id,
  });
}

/** Starts one job by Torc's route, which sets the runner only at this point. Returns the job as it was before. */
export const createStart =
  ({ changes, now }: Store, queries: ResultReportQueries) =>
  (id: number, runId: number, nodeId: number): JobRow => {
    const job = queries.toStart.get({ id, nodeId }) ?? missingRecord('Job', id);
    const currentRun = job.current_run ?? missingRecord('Workflow', job.workflow_id);
    const status = statusOf(job.status);
    if (status !== 'pending') {
      throw new Refusal(
        'STATUS_REFUSED',
        `job_id=${id} has invalid status=${status}. Expected SubmittedPending for job start.`,
        { job_id: id, found: status },
      );
    }
    if (runId !== currentRun) {
      throw new Refusal('RUN_SUPERSEDED', `Run ID mismatch: provided ${runId} but workflow status has ${currentRun}`, {
        runId,
        currentRun,
      });
    }
    if (job.is_of_workflow === 0) {
      throw new Refusal('REFERENCE_UNKNOWN', `compute node ${nodeId} is not one of workflow ${job.workflow_id}`, {
        found: nodeId,
      });
    }
    queries.start.run({ id, nodeId, startTime: new Date(now()).toISOString() });
    changes.record(job.workflow_id, 'job_started', [
      { job_id: id, job_name: job.name, compute_node_id: nodeId, run_id: runId },
    ]);
    return job;
  };
