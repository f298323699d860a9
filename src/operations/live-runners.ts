import { hostname } from 'node:os';
import type { Client } from '../client/client.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';

/** The runners of a workflow that are registered as active. */
export interface Runners {
  /** How many of them may still work. */
  readonly live: number;
  /** Ids of those that have ended without reporting it: killed runners of this host, as its process table proves. */
  readonly lost: readonly number[];
}

/** Which runners work on a workflow; changes nothing. A silent runner of another host counts as live: it cannot be known here. */
export async function runnersOf(
  client: Client,
  { workflow_id: workflowId, active_compute_nodes: active }: WorkflowStatus,
): Promise<Runners> {
  if (active === 0) return { live: 0, lost: [] };
  const { findLostRunners } = await import('../runner/recover/lost-runners.ts');
  const lost = await findLostRunners({ client, workflowId, hostname: hostname() });
  return { live: Math.max(0, active - lost.length), lost };
}
