import { causeOfRecord, exitCodesOf } from '../../../core/attempt/judge.ts';
import { type JobStatus, statusCode } from '../../../core/contract/job.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewResult, Result } from '../../../core/contract/result.ts';
import { presentFields } from '../present.ts';
import { merged, type Partly, read } from '../records.ts';
import type { Store } from '../store.ts';
import { columnValuesOf } from '../../store/columns.ts';
import { reportedColumns, type ResultQueries } from './queries.ts';

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
    return { ...presentFields(body), id };
  };

/** Another status or return code proves another cause; one that was reported stays. */
export const updateResult =
  ({ find }: Store, queries: ResultQueries) =>
  (id: number, body: Partly<NewResult>): Result => {
    const before = read(queries.results, id);
    const after: NewResult = merged(before, body);
    const isProven = (before.cause_code ?? undefined) === provenBy(before, find);
    const cause = isProven ? provenBy(after, find) : before.cause_code;
    queries.updateResult.run({ ...resultRow({ ...after, cause_code: cause }), id });
    return read(queries.results, id);
  };

const withCause = (result: NewResult, find: Store['find']): NewResult => ({
  ...result,
  cause_code: result.cause_code ?? provenBy(result, find),
});

const provenBy = ({ workflow_id: workflowId, status, return_code: returnCode }: NewResult, find: Store['find']) =>
  causeOfRecord({ status, returnCode }, exitCodesOf(find.wholeWorkflow(workflowId).execution_config));

const resultRow = (result: NewResult) => ({
  ...columnValuesOf(result, reportedColumns),
  status: statusCode[result.status as JobStatus],
});
