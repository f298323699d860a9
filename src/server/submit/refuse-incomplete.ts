import { Refusal } from '../../core/contract/refusals.ts';
import type { Store } from '../records/store.ts';

/** An incomplete workflow lacks jobs or dependencies. */
export function refuseIncomplete({ find }: Pick<Store, 'find'>, id: number): void {
  if (find.workflow(id).being_created_at_ms === null) return;
  throw new Refusal(
    'WORKFLOW_INCOMPLETE',
    `workflow ${id} is incomplete: its creation is in progress or was interrupted`,
    { workflow_id: id },
  );
}
