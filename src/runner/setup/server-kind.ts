import type { Client } from '../../client/client.ts';
import { createPlainExchange } from '../../client/compat/exchange.ts';
import { knowsExchange } from '../../client/compat/knows-exchange.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Log } from '../facts/log.ts';
import { type WorkflowFacts, workflowFacts } from '../facts/workflow-facts.ts';
import { ORIGINAL_WAKING_EVENTS, WAKING_EVENTS } from '../report/wake.ts';

/** How a runner communicates with its server. */
export interface ServerKind {
  /** Its `exchange` works with every kind of server. */
  readonly client: Client;
  /** Event types after which jobs may be ready. */
  readonly wakingEvents: readonly string[];
  /** Minimum milliseconds between two polls caused by events. */
  readonly wakeAtMostEveryMs: number;
  /** How long no job may be ready or running after which the runner takes it that none will be. */
  readonly stuckMs: number;
  readonly reads: WorkflowFacts;
}

export interface ServerKindOptions {
  readonly client: Client;
  /** A client that retries while the server is away. */
  readonly patient: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly nodeId: number;
  readonly node: ComputeNode;
  /** The workflow's `compute_node_wait_for_new_jobs_seconds`. */
  readonly waitForNewJobsSeconds: number | null | undefined;
  readonly log: Log;
}

/** Torc's default of `compute_node_wait_for_new_jobs_seconds`: three intervals of its background task. */
const WAIT_SECONDS = 90;
/** Torc's server reports every start and end, but not that a job is ready. */
const WAKE_MS = 1_000;

/** Checks once, after the registration, whether the server has our `exchange` or is Torc's own. */
export async function serverKind(options: ServerKindOptions): Promise<ServerKind> {
  const { client, patient, workflowId, runId, nodeId, node, waitForNewJobsSeconds, log } = options;
  const turn = { run_id: runId, compute_node_id: nodeId, setup: true };
  const { isKnown, reply } = await knowsExchange(patient, workflowId, turn);
  const reads = workflowFacts(patient, workflowId, reply?.setup ?? undefined);
  if (isKnown) return { client, wakingEvents: WAKING_EVENTS, wakeAtMostEveryMs: 0, stuckMs: 0, reads };

  log.write('warn', "The server has no route exchange: Torc's own routes are used, at their pace", {
    workflow_id: workflowId,
    missing: 'jobs ahead, wake-ups for ready jobs, recovery of killed runners',
  });
  await endDoubleRegistrations(patient, { node, nodeId, log });
  const exchange = createPlainExchange({
    client,
    workflowId,
    onWarning: (message) => log.write('warn', message, { workflow_id: workflowId }),
  });
  return {
    client: { ...client, exchange: ({ body }) => exchange(body) },
    wakingEvents: ORIGINAL_WAKING_EVENTS,
    wakeAtMostEveryMs: WAKE_MS,
    stuckMs: (waitForNewJobsSeconds || WAIT_SECONDS) * 1000,
    reads,
  };
}

/**
 * Deactivates records that this runner left when the reply to its registration was lost and it registered again.
 *
 * Torc's own server does not know that both requests were the same. A record that is not deactivated counts as an
 * active runner, and then this one could not determine the owner of pending jobs after a lost reply.
 */
async function endDoubleRegistrations(
  client: Client,
  { node, nodeId, log }: { readonly node: ComputeNode; readonly nodeId: number; readonly log: Log },
): Promise<void> {
  const query = { workflow_id: node.workflow_id, hostname: node.hostname, is_active: true };
  const { items } = await client.listComputeNodes({ query });
  for (const other of items) {
    const id = other.id;
    // The filter matches a part of the name. A process has one id and one start time, to the millisecond.
    const isOurs = other.hostname === node.hostname && other.pid === node.pid && startOf(other) === startOf(node);
    if (id === nodeId || !isOurs) continue;
    await client.updateComputeNode({ params: { id }, body: { ...node, is_active: false } });
    log.write('warn', 'The runner was registered twice: the reply to the first registration was lost', {
      compute_node_id: nodeId,
      deactivated: id,
    });
  }
}

const startOf = ({ start_time: time }: ComputeNode): number => Date.parse(time);
