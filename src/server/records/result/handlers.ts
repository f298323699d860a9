import { type JobStatus, statusCode } from '../../../core/contract/job.ts';
import type { Handlers } from '../../handlers.ts';
import { countReply, type Deletions } from '../deletion/deletion.ts';
import { merged, read, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { reportedColumns, resultQueries } from './queries.ts';
import { causeOfRecord, exitCodesOf } from '../../../core/attempt/judge.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewResult } from '../../../core/contract/result.ts';
import { presentFields } from '../present.ts';
import { columnValuesOf } from '../../store/columns.ts';

export const resultRecordHandlers = ({ db, find }: Store, deletion: Deletions) => {
  const queries = resultQueries(db);
  const { results } = queries;

  return {
    /**
     * Stores a result that is reported separately from the end of its job; it becomes the job's current one. The job's
     * status stays. Without a cause it gets the one that its status and return code prove.
     */
    createResult({ body: given }) {
      find.jobOf(given.workflow_id, given.job_id);
      const body = { ...given, cause_code: given.cause_code ?? provenBy(given, find) };
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
    },
    listResults({ query: { status, all_runs = false, ...query } }) {
      find.workflow(query.workflow_id);
      return results.list({ ...query, all_runs, status: status === undefined ? undefined : statusCode[status] });
    },
    getResult: ({ params }) => read(results, params.id),
    /** Another status or return code proves another cause; one that was reported stays. */
    updateResult({ params: { id }, body }) {
      const before = read(results, id);
      const after = merged<NewResult>(before, body);
      const isProven = (before.cause_code ?? undefined) === provenBy(before, find);
      const cause = isProven ? provenBy(after, find) : before.cause_code;
      queries.updateResult.run({ ...resultRow({ ...after, cause_code: cause }), id });
      return read(results, id);
    },
    deleteResult({ params: { id } }) {
      const { job_id: jobId } = read(results, id);
      queries.forgetResult.run({ jobId, id });
      return removeRecord(results, id);
    },
    deleteResults: ({ query }) => deletion.all(query.workflow_id, 'result', countReply),
  } satisfies Partial<Handlers>;
};

const provenBy = ({ workflow_id: workflowId, status, return_code: returnCode }: NewResult, find: Store['find']) =>
  causeOfRecord({ status, returnCode }, exitCodesOf(find.wholeWorkflow(workflowId).execution_config));

const resultRow = (result: NewResult) => ({
  ...columnValuesOf(result, reportedColumns),
  status: statusCode[result.status as JobStatus],
});
