import type { Client } from '../../client/client.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Log } from '../facts/log.ts';

/**
 * Deactivates records that this runner left when the reply to its registration was lost and it registered again.
 *
 * Torc's own server does not know that both requests were the same. A record that is not deactivated counts as an
 * active runner, and then this one could not determine the owner of pending jobs after a lost reply.
 */
export async function endDoubleRegistrations(
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
