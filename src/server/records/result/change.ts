import { causeOfRecord, exitCodesOf } from '../../../core/attempt/judge.ts';
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
 * status stays. Without a cause it gets the one that its status and return code prove.
 */
export const createResult =
  ({ find }: Store, queries: ResultQueries) =>
  (given: NewResult): Result => {
    find.jobOf(given.workflow_id, given.job_id);
    const body = withCause(given, find);
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

function withCause(result: NewResult, find: Store['find']): NewResult {
  const { workflow_id: workflowId, status, return_code: returnCode, cause_code: stored } = result;
  if (stored !== undefined && stored !== null) return result;
  const codes = exitCodesOf(find.wholeWorkflow(workflowId).execution_config);
  return { ...result, cause_code: causeOfRecord({ status, returnCode }, codes) };
}

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
