import { type ProcessIdentity, proofOfEnd } from '../cluster/host/facts.ts';
import type { Client } from '../client/client.ts';
import type { ComputeNode } from '../core/contract/node.ts';
import { readLedger } from './ledger.ts';
import type { Log } from './log.ts';
import { killMarked, strayWords } from './strays.ts';

export interface LostOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly hostname: string;
  readonly log: Log;
}

/**
 * Takes back what runners of this host held that are gone, and ends the jobs that they left behind.
 *
 * A runner is gone when the process table proves it, never because it is silent. What its ledger says that it finished is
 * reported; what it had started runs again as a new attempt; what it had not is ready again. The answer is how many there
 * were.
 */
export async function recoverLostRunners({ client, workflowId, runId, hostname, log }: LostOptions): Promise<number> {
  let found = 0;
  const { items } = await client.listComputeNodes({ query: { workflow_id: workflowId, hostname, is_active: true } });
  for (const node of items) {
    const { id, process } = node;
    if (node.hostname !== hostname || typeof id !== 'number' || !process) continue;
    if (proofOfEnd(identityOf(node, process)) !== 'gone') continue;
    const strays = killMarked(process.mark);
    const facts = readLedger(process.ledger);
    const reply = await client.reportLostRunner({
      params: { id: workflowId, compute_node_id: id },
      body: { run_id: runId, ...facts, reason: `runner ${node.pid} on ${hostname} is gone` },
    });
    log.write('warn', 'A runner of this workflow is gone; its jobs were taken back', {
      compute_node_id: id,
      pid: node.pid,
      finished: reply.completed.length,
      run_again: reply.requeued.length,
      not_started: reply.returned.length,
      processes_ended: strays.length,
      ...(strays.length === 0 ? {} : { which: strayWords(strays) }),
    });
    found += 1;
  }
  return found;
}

function identityOf(
  { pid }: ComputeNode,
  { boot_id, pid_namespace, start_ticks }: NonNullable<ComputeNode['process']>,
): ProcessIdentity {
  return { pid, boot_id, pid_namespace, start_ticks };
}
