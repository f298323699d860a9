import type { Client } from '../client/client.ts';
import type { Workflow } from '../core/contract/workflow.ts';

/** The newest workflow of a user with the name that a file gives; archived ones and those that are incomplete do not count. */
export async function recognized(
  client: Client,
  { user, name }: { readonly user: string; readonly name: string },
): Promise<Workflow | undefined> {
  const query = { user, name, is_archived: false, sort_by: 'id', reverse_sort: true, limit: 10 } as const;
  const { items } = await client.listWorkflows({ query });
  return items.find(({ is_being_created: isIncomplete }) => isIncomplete !== true);
}
