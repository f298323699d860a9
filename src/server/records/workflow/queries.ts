import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { columns, insertInto, setGiven } from '../../store/columns.ts';
import { createListing } from '../../store/listing.ts';
import { type SharedWorkflowRow, workflowColumns, workflowRecordOf } from '../rows/workflow.ts';

export const changeableColumns = [
  ...columns('name user description project metadata execution_config'),
  ...columns('compute_node_expiration_buffer_seconds compute_node_wait_for_new_jobs_seconds'),
  ...columns('compute_node_ignore_workflow_completion compute_node_wait_for_healthy_database_minutes'),
  ...columns('use_pending_failed enable_ro_crate limits'),
];
export const fixedColumns = [
  ...columns('compute_node_min_time_for_new_jobs_seconds resource_monitor_config slurm_defaults'),
  ...columns('dynamic_jobs submission_directory spec_file'),
];

export const workflowQueries = (db: Database) => ({
  insertWorkflow: db.prepare<Record<string, ColumnValue>>(
    insertInto('workflow', [...changeableColumns, ...fixedColumns, 'timestamp', 'env', 'being_created_at_ms']),
  ),
  updateWorkflow: db.prepare<Record<string, ColumnValue>>(`
    update workflow set
      ${setGiven(changeableColumns)},
      being_created_at_ms = iif(:isWhole, null, being_created_at_ms)
    where id = :id`),
  abandoned: db.prepare<{ beforeMs: number }, { id: number }>(
    'select id from workflow where being_created_at_ms < :beforeMs and removed_at_ms is null',
  ),
  groupNamed: db.prepare<{ name: string }, { id: number }>('select id from access_group where name = :name'),
  shareWith: db.prepare<{ workflowId: number; groupId: number; at: string }>(
    'insert into workflow_access_group (workflow_id, group_id, created_at) values (:workflowId, :groupId, :at)',
  ),
  archiveWorkflow: db.prepare<{ id: number; isArchived: number }>(
    'update workflow set is_archived = :isArchived where id = :id',
  ),
  listWorkflows: createListing<
    Input<'listWorkflows'>['query'] & {
      readonly seen_by?: string | undefined;
      readonly shared_with?: string | undefined;
    },
    SharedWorkflowRow,
    Workflow
  >(
    db,
    {
      table: 'workflow',
      columns: workflowColumns,
      // Rows of deleted workflows may be left for a while.
      from: '(select * from workflow where removed_at_ms is null) workflow',
      filters: {
        name: 'equal',
        user: 'equal',
        description: 'contains',
        is_archived: 'equal',
        is_being_created: '(workflow.being_created_at_ms is not null) = :is_being_created',
        spec_file: 'equal',
        access_group: `workflow.id in (
          select share.workflow_id
          from workflow_access_group share
          join access_group on access_group.id = share.group_id
          where access_group.name = :access_group)`,
        seen_by:
          '(workflow.user = :seen_by or workflow.id in (select workflow_id from workflow_sharing where user_name = :seen_by))',
        shared_with: `(workflow.user <> :shared_with
          and workflow.id in (select workflow_id from workflow_sharing where user_name = :shared_with))`,
      },
      sortable: sortFields.workflow,
    },
    workflowRecordOf,
  ),
});

export type WorkflowQueries = ReturnType<typeof workflowQueries>;
