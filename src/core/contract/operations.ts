/**
 * Names and groups of operations in the OpenAPI document. They are those of Torc 1.0.0, so a client generated from
 * either document has the same functions in the same places.
 */

/** Routes that have another name in Torc 1.0.0. */
const originalNames: Readonly<Record<string, string>> = {
  checkAccess: 'check_workflow_access',
  addGroupMember: 'add_user_to_group',
  removeGroupMember: 'remove_user_from_group',
  deleteResourceRequirements: 'delete_resource_requirement',
  deleteResourceRequirementsList: 'delete_resource_requirements',
  deleteUserDataList: 'delete_all_user_data',
  listWorkflowActions: 'get_workflow_actions',
  listPendingActions: 'get_pending_actions',
  claimWorkflowAction: 'claim_action',
  getActiveTask: 'get_active_task_for_workflow',
  isComplete: 'is_workflow_complete',
  isUninitialized: 'is_workflow_uninitialized',
  addRemoteWorkers: 'create_remote_workers',
  removeRemoteWorker: 'delete_remote_worker',
  resetStatus: 'reset_workflow_status',
  listRunningJobs: 'get_running_jobs',
  listSlurmJobCorrelations: 'get_slurm_job_correlations',
  runSql: 'admin_sql',
  listAuditLog: 'list_admin_audit_log',
};

/** `createJob` → `create_job`. */
export const operationName = (route: string): string =>
  originalNames[route] ?? route.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Parts of a path whose resource has another name. */
const subjects: Readonly<Record<string, string>> = {
  access_check: 'access_control',
  access_groups: 'access_control',
  admin: 'access_control',
  users: 'access_control',
  bulk_files: 'files',
  bulk_jobs: 'jobs',
  bulk_user_data: 'user_data',
  ping: 'system',
  version: 'system',
  actions: 'workflow_actions',
};
/** Resources of a workflow that are listed as resources themselves. */
const ownSubjects = ['access_groups', 'actions', 'failure_handlers', 'remote_workers', 'ro_crate_entities'];

/** The resource of a route, by its path: `/workflows/{id}/actions/{action_id}` belongs to `workflow_actions`. */
export function subjectOf(path: string): string {
  const [, first = '', , within = ''] = path.split('/');
  const part = first === 'workflows' && ownSubjects.includes(within) ? within : first;
  return subjects[part] ?? part;
}
