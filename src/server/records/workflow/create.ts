import { misplacedSettings } from '../../../core/attempt/execution.ts';
import { durationFault } from '../../../core/quantity/duration-fault.ts';
import { limitsFault } from '../../../core/job/amounts.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { STANDARD_OUTAGE_MINUTES, STANDARD_WAIT_SECONDS } from '../../../core/contract/standard-settings.ts';
import { type NewWorkflow, type Workflow, type WorkflowChange } from '../../../core/contract/workflow.ts';
import type { Store } from '../store.ts';
import { refuseBadEnvironment } from '../job/environment.ts';
import { presentFields } from '../present.ts';
import type { RequirementsQueries } from '../requirements/queries.ts';
import { columnValuesOf } from '../../store/columns.ts';
import { changeableColumns, fixedColumns, type WorkflowQueries } from './queries.ts';

/** The ids of the groups that a new workflow names: each once, and each existing. */
function groupIds(queries: WorkflowQueries, groups: readonly string[] | null | undefined): number[] {
  return (groups ?? []).map((name, index) => {
    if (groups?.indexOf(name) !== index) {
      throw new Refusal('DUPLICATE', `access_groups contains duplicate entry '${name}'`, { group: name });
    }
    const row = queries.groupNamed.get({ name });
    if (row !== undefined) return row.id;
    throw new Refusal('REFERENCE_UNKNOWN', `Unknown access group '${name}': create the group before referencing it`, {
      group: name,
    });
  });
}

export function refuseIterations({ dynamic_jobs: dynamic }: WorkflowChange): void {
  const most = dynamic?.max_iterations;
  if (most === undefined || most === null || most >= 1) return;
  throw new Refusal(
    'BODY_REFUSED',
    `dynamic_jobs.max_iterations must be >= 1 (got ${most}); omit the field to use the server default`,
    { field: 'dynamic_jobs.max_iterations', found: most },
  );
}

export function refuseBadLimits({ limits }: WorkflowChange): void {
  const fault = limitsFault(limits);
  if (fault !== undefined) throw new Refusal('BODY_REFUSED', fault, { field: 'limits' });
}

/** Settings of the other mode, and a timeout that nothing could read. With `auto` the mode is known only when a runner starts. */
export function refuseMisplaced({ execution_config: config }: WorkflowChange): void {
  const fault = durationFault('execution_config.timeout', config?.timeout);
  if (fault !== undefined)
    throw new Refusal('BODY_REFUSED', fault, { field: 'execution_config.timeout', found: config?.timeout });
  if (config === undefined || config === null || config.mode === 'auto') return;
  const misplaced = misplacedSettings(config, config.mode ?? 'direct');
  if (misplaced.length === 0) return;
  throw new Refusal('EXECUTION_REFUSED', misplaced.map(({ message }) => message).join(' '), {
    fields: misplaced.map(({ setting }) => `execution_config.${setting}`),
  });
}

/** The requirements that every workflow has for jobs that name none. */
const DEFAULT_REQUIREMENTS = {
  name: 'default',
  num_cpus: 1,
  num_gpus: 0,
  num_nodes: 1,
  memory: '1m',
  runtime: 'P0DT1M',
  memory_bytes: 1_048_576,
  runtime_s: 60,
  licenses: null,
};

export const createWorkflowRecord =
  ({ now }: Store, queries: WorkflowQueries, { insertRequirements }: Pick<RequirementsQueries, 'insertRequirements'>) =>
  (body: NewWorkflow): Workflow => {
    refuseBadEnvironment(body.env, 'workflow');
    const groups = groupIds(queries, body.access_groups);
    refuseIterations(body);
    refuseMisplaced(body);
    refuseBadLimits(body);
    const columns = columnValuesOf(body, [...changeableColumns, ...fixedColumns]);
    const timestamp = new Date(now()).toISOString();
    const id = queries.insertWorkflow.insert({
      ...columns,
      timestamp,
      env: Object.keys(body.env ?? {}).length === 0 ? null : JSON.stringify(body.env),
      compute_node_wait_for_new_jobs_seconds: columns.compute_node_wait_for_new_jobs_seconds ?? STANDARD_WAIT_SECONDS,
      compute_node_ignore_workflow_completion: columns.compute_node_ignore_workflow_completion ?? 0,
      compute_node_wait_for_healthy_database_minutes:
        columns.compute_node_wait_for_healthy_database_minutes ?? STANDARD_OUTAGE_MINUTES,
      compute_node_min_time_for_new_jobs_seconds: columns.compute_node_min_time_for_new_jobs_seconds ?? 300,
      use_pending_failed: columns.use_pending_failed ?? 0,
      enable_ro_crate: columns.enable_ro_crate ?? 0,
      being_created_at_ms: body.is_being_created === true ? now() : null,
    });
    insertRequirements.run({ ...DEFAULT_REQUIREMENTS, workflow_id: id });
    for (const groupId of groups) queries.shareWith.run({ workflowId: id, groupId, at: timestamp });
    return { ...echoOf(body), id, timestamp };
  };

/** The body as Torc 1.0.0 returns it: groups sorted, and neither an empty list of groups nor an empty environment. */
function echoOf(body: NewWorkflow): NewWorkflow {
  const { env, access_groups: groups, ...rest } = presentFields(body);
  return {
    ...rest,
    ...(env === undefined || Object.keys(env).length === 0 ? {} : { env }),
    ...(groups === undefined || groups.length === 0 ? {} : { access_groups: [...groups].sort() }),
  };
}

const IMMUTABLE = ['env', 'submission_directory', 'dynamic_jobs', 'spec_file'] as const;

export const updateWorkflow =
  ({ find }: Store, queries: WorkflowQueries) =>
  (id: number, body: WorkflowChange): Workflow => {
    const before = find.wholeWorkflow(id);
    for (const field of IMMUTABLE) {
      if (body[field] === undefined || body[field] === null) continue;
      if (JSON.stringify(body[field]) === JSON.stringify(before[field])) continue;
      throw new Refusal('FIELD_IMMUTABLE', `Cannot modify ${field} - this field is immutable after workflow creation`, {
        field,
      });
    }
    if (body.access_groups !== undefined && body.access_groups !== null) {
      throw new Refusal(
        'FIELD_IMMUTABLE',
        'Cannot modify access_groups via update - use add_workflow_to_group / remove_workflow_from_group',
        { field: 'access_groups' },
      );
    }
    refuseMisplaced(body);
    refuseBadLimits(body);
    queries.updateWorkflow.run({
      ...columnValuesOf(body, changeableColumns),
      id,
      isWhole: Number(body.is_being_created === false),
    });
    return find.wholeWorkflow(id);
  };
