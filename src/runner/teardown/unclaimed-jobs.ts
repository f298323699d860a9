import type { Client } from '../../client/client.ts';
import { unclaimableWords } from '../../core/lifecycle/placement/unclaimable.ts';
import type { Left, RunSummary } from '../facts/options.ts';
import type { Registered } from '../setup/register.ts';

/**
 * When a runner exits while jobs are ready, reports which of them it could not take, and why: in its log, and as an
 * event. The result is also shown in the summary of the run. One that was idle and for which nothing was left is reported as
 * an event, too: its allocation ends before its time.
 */
export async function reportUnclaimedJobs(
  client: Client,
  { run, nodeId, hostname }: Pick<Registered, 'run' | 'nodeId' | 'hostname'>,
  { ending, reason }: Pick<RunSummary, 'ending' | 'reason'>,
): Promise<Left | undefined> {
  const { workflowId, log } = run;
  if (ending !== 'idle' && ending !== 'deadline') return undefined;
  try {
    const left = await client.getUnclaimableJobs({ params: { id: workflowId }, query: { compute_node_id: nodeId } });
    if (left.ready_jobs === 0 && (ending !== 'idle' || left.may_take)) return undefined;
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
    return words.length === 0 ? undefined : { words: words.join('; '), jobId: reasons[0]?.job_id };
  } catch (error) {
    // An older server has no such route; an outage is reported elsewhere.
    log.write('debug', 'Which jobs were left is not known', { reason: (error as Error).message });
    return undefined;
  }
}

const withoutUndefined = (data: object) => JSON.parse(JSON.stringify(data)) as Record<string, string>;
