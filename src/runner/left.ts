import type { Client } from '../client/client.ts';
import { unclaimableWords } from '../core/lifecycle/unclaimable.ts';
import type { Log } from './log.ts';
import type { Ending } from './options.ts';

export interface Leaving {
  readonly client: Client;
  readonly workflowId: number;
  readonly nodeId: number;
  readonly hostname: string;
  readonly ending: Ending;
  readonly reason: string | undefined;
  readonly log: Log;
}

/**
 * Says of a runner that leaves while jobs are ready which of them it could not take, and why: in its log, and as an event
 * for those who ask the service. The answer is for whoever is told how the run ended.
 */
export async function sayWhatIsLeft({
  client,
  workflowId,
  nodeId,
  hostname,
  ending,
  reason,
  log,
}: Leaving): Promise<string | undefined> {
  if (ending !== 'idle' && ending !== 'deadline') return undefined;
  try {
    const left = await client.getUnclaimableJobs({ params: { id: workflowId }, query: { compute_node_id: nodeId } });
    if (left.ready_jobs === 0) return undefined;
    const words = left.reasons.map(unclaimableWords);
    for (const line of words) log.write('warn', line, { workflow_id: workflowId });
    const { ready_jobs, unclaimable_jobs, reasons } = left;
    const data = {
      category: 'runner_left',
      level: unclaimable_jobs > 0 ? 'warning' : 'info',
      compute_node_id: nodeId,
      hostname,
      ending,
      reason,
      ready_jobs,
      unclaimable_jobs,
      reasons,
    };
    await client.createEvent({
      body: { workflow_id: workflowId, timestamp: Date.now(), data: withoutUndefined(data) },
    });
    return words.length === 0 ? undefined : words.join('; ');
  } catch (error) {
    // An older server knows no such route; that it is away is said elsewhere.
    log.write('debug', 'Which jobs were left is not known', { reason: (error as Error).message });
    return undefined;
  }
}

const withoutUndefined = (data: object) => JSON.parse(JSON.stringify(data)) as Record<string, string>;
