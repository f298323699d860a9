import type {
  AllocationPlan,
  NewScheduledComputeNode,
  ScheduledComputeNode,
} from '../../../core/contract/allocation.ts';
import type { WorkflowAction } from '../../../core/contract/scheduling.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { presentFields } from '../present.ts';
import { createAllocationCheck } from '../scheduler/foreign.ts';
import type { Store } from '../store.ts';
import { insertInto } from '../../store/columns.ts';
import { allocationColumns, allocationRow } from './row.ts';

/** Stores requested allocations, and reports them on the event stream. */
export function createAllocationRecords({ db, changes }: Pick<Store, 'db' | 'changes'>) {
  const insert = insertAllocation(db);
  const refuseForeign = createAllocationCheck(db);
  const inherited = inheritedLimit(db);
  return (workflowId: number, allocations: readonly NewScheduledComputeNode[]): ScheduledComputeNode[] => {
    const limit = inherited(workflowId);
    const created = allocations.map((given) => {
      const allocation = withLimit(given, limit);
      refuseForeign(workflowId, allocation);
      const id = insert.insert({ workflow_id: workflowId, ...allocationRow(allocation) });
      return { ...presentFields(allocation), id };
    });
    const reported = created.map(({ id, scheduler_id, scheduler_config_id, scheduler_type, status }) => ({
      category: 'scheduler',
      scheduled_compute_node_id: id,
      scheduler_id,
      scheduler_config_id,
      scheduler_type,
      status,
    }));
    changes.record(workflowId, 'scheduler_node_created', reported);
    return created;
  };
}

/**
 * Plans the allocations that an action asks for, in the transaction of its claim: a claim without its plan would be lost
 * with the process that claimed. Returns their number; undefined for an action whose plan cannot be made.
 *
 * Allocations of this action that are still planned are those of an earlier claim, and are not planned again.
 */
export function planAction(store: Pick<Store, 'db' | 'changes'>) {
  const create = createAllocationRecords(store);
  const queries = planQueries(store.db);
  return (
    { id, workflow_id: workflowId, action_type: type, action_config: config, persistent }: WorkflowAction,
    { max_parallel_jobs: asked, max_queued: limit }: Pick<AllocationPlan, 'max_parallel_jobs' | 'max_queued'>,
  ): number | undefined => {
    const fields = config as Readonly<Record<string, unknown>>;
    const schedulerId = fields['scheduler_id'];
    if (type !== 'schedule_nodes' || fields['scheduler_type'] !== 'slurm' || typeof schedulerId !== 'number')
      return undefined;
    if (queries.scheduler.get({ id: schedulerId, workflowId }) === undefined) return undefined;
    const actionId = id;
    if (persistent !== true && queries.unfinished.get({ actionId, workflowId }) !== undefined) return 0;
    const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
    const allocations = numberOf(fields['num_allocations']) ?? 1;
    const plan = {
      allocations,
      ...presentFields({
        start_one_worker_per_node: fields['start_one_worker_per_node'] === true ? true : null,
        max_parallel_jobs: asked ?? numberOf(fields['max_parallel_jobs']) ?? null,
        max_queued: limit ?? null,
      }),
      action_id: actionId,
    };
    const record = {
      workflow_id: workflowId,
      scheduler_id: 0,
      scheduler_config_id: schedulerId,
      scheduler_type: 'slurm',
      status: 'planned',
      plan,
    };
    return create(
      workflowId,
      Array.from({ length: allocations }, () => record),
    ).length;
  };
}

/** A limit of the queue holds for the workflow: a runner that plans an action does not know what was said to the command before. */
const withLimit = (allocation: NewScheduledComputeNode, limit: number | undefined): NewScheduledComputeNode => {
  const plan = allocation.plan ?? undefined;
  if (plan === undefined || limit === undefined || (plan.max_queued ?? undefined) !== undefined) return allocation;
  return { ...allocation, plan: { ...plan, max_queued: limit } };
};

/** The limit of the last plan of a workflow that has one. */
function inheritedLimit(db: Database) {
  const query = db.prepare<{ workflowId: number }, { most: number }>(`
    select json_extract(plan, '$.max_queued') as most from scheduled_compute_node
    where workflow_id = :workflowId and json_extract(plan, '$.max_queued') is not null
    order by id desc limit 1`);
  return (workflowId: number): number | undefined => query.get({ workflowId })?.most;
}

const insertAllocation = (db: Database) =>
  db.prepare<Record<string, ColumnValue>>(insertInto('scheduled_compute_node', ['workflow_id', ...allocationColumns]));

const planQueries = (db: Database) => ({
  scheduler: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from slurm_scheduler where id = :id and workflow_id = :workflowId',
  ),
  unfinished: db.prepare<{ actionId: number; workflowId: number }, { id: number }>(`
    select id from scheduled_compute_node
    where workflow_id = :workflowId and status in ('planned', 'submitting')
      and json_extract(plan, '$.action_id') = :actionId
    limit 1`),
});
