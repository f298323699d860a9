import type { NewScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Database } from '../../store/database.ts';

/** What a record names; an id that no record has is accepted, as by Torc 1.0.0. */
interface Named {
  readonly schedulerId?: unknown;
  /** `slurm` or `local`; another one says nothing about the id. */
  readonly schedulerType?: unknown;
  readonly actionId?: number | null | undefined;
}

/** The same for the scheduler and the plan of an allocation. */
export function createAllocationCheck(db: Database) {
  const refuseForeign = createForeignCheck(db);
  return (workflowId: number, allocation: NewScheduledComputeNode) => {
    const { scheduler_config_id: schedulerId, scheduler_type: schedulerType, plan } = allocation;
    refuseForeign(workflowId, { schedulerId, schedulerType }, 'scheduler_config_id');
    refuseForeign(workflowId, { actionId: plan?.action_id }, 'plan.action_id');
  };
}

/** Refuses the scheduler or the action of another workflow: its nodes would work for this one, or its plan be completed here. */
export function createForeignCheck(db: Database) {
  const ownerOf = (table: string) =>
    db.prepare<{ id: number }, { workflow_id: number }>(`select workflow_id from ${table} where id = :id`);
  const actions = ownerOf('workflow_action');
  const schedulers: Readonly<Record<string, ReturnType<typeof ownerOf>>> = {
    slurm: ownerOf('slurm_scheduler'),
    local: ownerOf('local_scheduler'),
  };
  return (workflowId: number, { schedulerId, schedulerType, actionId }: Named, field: string) => {
    const refuse = (what: string, id: number, owner: { workflow_id: number } | undefined) => {
      if (owner === undefined || owner.workflow_id === workflowId) return;
      throw new Refusal(
        'REFERENCE_UNKNOWN',
        `${field}: ${what} ${id} is of workflow ${owner.workflow_id}, not ${workflowId}`,
        {
          field,
          found: id,
        },
      );
    };
    const type = String(schedulerType);
    const owners = Object.hasOwn(schedulers, type) ? schedulers[type] : undefined;
    if (typeof schedulerId === 'number') refuse(`${type} scheduler`, schedulerId, owners?.get({ id: schedulerId }));
    if (typeof actionId === 'number') refuse('action', actionId, actions.get({ id: actionId }));
  };
}
