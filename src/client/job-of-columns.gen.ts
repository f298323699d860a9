// Made by scripts/gen-job-rows.ts from the table of a job's fields, src/core/job/fields.ts.
import type { JobColumns } from '../core/contract/plan-columns.ts';
import type { StoredJob } from '../core/workflow-file/update/stored.ts';

/** An earlier version of the server does not send every column: then no job has a value. */
const at = <Value>(column: readonly Value[] | undefined, index: number) =>
  (column === undefined ? null : column[index]) as Value;

/** A job of a page of columns. */
export const jobOfColumns = (of: JobColumns, index: number): StoredJob => ({
  id: at(of.id, index),
  name: at(of.name, index),
  command: at(of.command, index),
  invocation_script: at(of.invocation_script, index),
  env: at(of.env, index),
  status: at(of.status, index),
  cancel_on_blocking_job_failure: at(of.cancel_on_blocking_job_failure, index),
  supports_termination: at(of.supports_termination, index),
  resource_requirements_id: at(of.resource_requirements_id, index),
  scheduler_id: at(of.scheduler_id, index),
  failure_handler_id: at(of.failure_handler_id, index),
  removed_at_ms: at(of.removed_at_ms, index),
  priority: at(of.priority, index),
  origin: at(of.origin, index),
  labels: at(of.labels, index),
  timeout: at(of.timeout, index),
  licenses: at(of.licenses, index),
  depends_on_job_ids: at(of.depends_on_job_ids, index),
  input_file_ids: at(of.input_file_ids, index),
  output_file_ids: at(of.output_file_ids, index),
  input_user_data_ids: at(of.input_user_data_ids, index),
  output_user_data_ids: at(of.output_user_data_ids, index),
  result_id: at(of.result_id, index),
});
