import type { PlanUpdate } from '../../contract/plan-update.ts';
import type { WorkflowAction } from '../../contract/scheduling.ts';
import type { RecordDifference } from './difference.ts';
import { canonical } from './same.ts';

type Actions = NonNullable<PlanUpdate['workflow_actions']>;
type NewAction = NonNullable<Actions['add']>[number];

/** Actions have no names: one that differs in anything is another one. Those of a recovery are in no file. */
export function matchActions(
  stored: readonly WorkflowAction[],
  wanted: readonly NewAction[],
): { readonly update: { add: NewAction[]; remove: number[] }; readonly differences: RecordDifference[] } {
  const had = new Map<string, WorkflowAction[]>();
  for (const action of stored) {
    if (action.is_recovery === true) continue;
    const key = keyOf(action);
    had.set(key, [...(had.get(key) ?? []), action]);
  }
  const add = wanted.filter((action) => had.get(keyOf(action))?.pop() === undefined);
  const left = [...had.values()].flat();
  return {
    update: { add, remove: left.map(({ id }) => id) },
    differences: [
      ...add.map((action) => ({ kind: 'added', of: 'workflow_actions', name: nameOf(action) }) as const),
      ...left.map((action) => ({ kind: 'removed', of: 'workflow_actions', name: nameOf(action) }) as const),
    ],
  };
}

const keyOf = ({ trigger_type, action_type, action_config, job_ids, persistent }: NewAction): string =>
  canonical([
    trigger_type,
    action_type,
    action_config,
    (job_ids ?? []).toSorted((left, right) => left - right),
    persistent ?? false,
  ]);

const nameOf = ({ trigger_type: trigger, action_type: action }: NewAction) => `${action} ${trigger}`;
