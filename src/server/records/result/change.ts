import { type JobStatus, statusCode } from '../../../core/contract/job.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewResult, Result } from '../../../core/contract/result.ts';
import { present } from '../present.ts';
import { merged, type Partly, read } from '../records.ts';
import type { Store } from '../store.ts';
import { valuesOf } from '../../store/columns.ts';
import { reported, type ResultQueries } from './queries.ts';

/**
 * Stores a result that is reported separately from the end of its job; it becomes the job's current one. The job's
 * status stays.
 */
export const createResult =
  ({ find }: Store, queries: ResultQueries) =>
  (body: NewResult): Result => {
    find.jobOf(body.workflow_id, body.job_id);
    const attemptId = body.attempt_id ?? 1;
    if (queries.sameAttempt.get({ jobId: body.job_id, runId: body.run_id, attemptId }) !== undefined) {
      const which = `job_id=${body.job_id} has a result for run ${body.run_id}, attempt ${attemptId} already`;
      throw new Refusal('DUPLICATE', which, { job_id: body.job_id });
    }
    if (queries.nodeOf.get({ id: body.compute_node_id, workflowId: body.workflow_id }) === undefined) {
      const message = `compute_node_id=${body.compute_node_id} is not a compute node of workflow ${body.workflow_id}`;
      throw new Refusal('REFERENCE_UNKNOWN', message, { field: 'compute_node_id', found: body.compute_node_id });
    }
    const id = queries.insertResult.insert({ ...resultRow(body), attempt_id: attemptId });
    queries.makeCurrent.run({ jobId: body.job_id, id });
    queries.countTimeAgain.run({ workflowId: body.workflow_id });
    return { ...present(body), id };
  };

export const updateResult =
  (queries: ResultQueries) =>
  (id: number, body: Partly<NewResult>): Result => {
    queries.updateResult.run({ ...resultRow(merged(read(queries.results, id), body)), id });
    return read(queries.results, id);
  };

const resultRow = (result: NewResult) => ({
  ...valuesOf(result, reported),
  status: statusCode[result.status as JobStatus],
});
