import { parsedJson } from '../present.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';

/** A row of the workflow table. */
export interface WorkflowRow {
  id: number;
  name: string;
  user: string;
  description: string | null;
  timestamp: string;
  project: string | null;
  metadata: string | null;
  env: string | null;
  compute_node_expiration_buffer_seconds: number | null;
  compute_node_wait_for_new_jobs_seconds: number;
  compute_node_ignore_workflow_completion: number;
  compute_node_wait_for_healthy_database_minutes: number;
  compute_node_min_time_for_new_jobs_seconds: number;
  resource_monitor_config: string | null;
  execution_config: string | null;
  slurm_defaults: string | null;
  use_pending_failed: number;
  enable_ro_crate: number;
  dynamic_jobs: string | null;
  limits: string | null;
  submission_directory: string | null;
  run_id: number;
  is_canceled: number;
  is_archived: number;
  being_created_at_ms: number | null;
  spec_file: string | null;
}

export type SharedWorkflowRow = WorkflowRow & {
  /** The names of the groups that may see it, as JSON text. */
  access_groups: string;
};

/** The columns of a workflow, and the groups that may see it. */
export const workflowColumns = `workflow.*, (
  select json_group_array(name) from (
    select access_group.name from workflow_access_group share
    join access_group on access_group.id = share.group_id
    where share.workflow_id = workflow.id order by access_group.name)) as access_groups`;

/** A workflow as the API returns it. */
export function workflowRecordOf(row: SharedWorkflowRow): Workflow & { id: number; run_id: number } {
  return {
    id: row.id,
    name: row.name,
    user: row.user,
    description: row.description ?? undefined,
    timestamp: row.timestamp,
    project: row.project ?? undefined,
    metadata: parsedJson(row.metadata),
    env: parsedJson(row.env),
    compute_node_expiration_buffer_seconds: row.compute_node_expiration_buffer_seconds ?? undefined,
    compute_node_wait_for_new_jobs_seconds: row.compute_node_wait_for_new_jobs_seconds,
    compute_node_ignore_workflow_completion: row.compute_node_ignore_workflow_completion === 1,
    compute_node_wait_for_healthy_database_minutes: row.compute_node_wait_for_healthy_database_minutes,
    compute_node_min_time_for_new_jobs_seconds: row.compute_node_min_time_for_new_jobs_seconds,
    resource_monitor_config: parsedJson(row.resource_monitor_config),
    execution_config: parsedJson(row.execution_config),
    slurm_defaults: parsedJson(row.slurm_defaults),
    use_pending_failed: row.use_pending_failed === 1,
    enable_ro_crate: row.enable_ro_crate === 1,
    dynamic_jobs: parsedJson(row.dynamic_jobs),
    limits: parsedJson(row.limits),
    submission_directory: row.submission_directory ?? undefined,
    run_id: row.run_id,
    is_canceled: row.is_canceled === 1,
    is_archived: row.is_archived === 1,
    is_being_created: row.being_created_at_ms === null ? undefined : true,
    spec_file: row.spec_file ?? undefined,
    access_groups: row.access_groups === '[]' ? undefined : (JSON.parse(row.access_groups) as string[]),
  };
}
