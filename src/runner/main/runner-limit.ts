import type { Client } from '../../client/client.ts';
import { timeOfDay } from '../../client/steady-clock.ts';
import { terminationOf } from '../../core/attempt/execution.ts';
import type { Joined } from '../setup/join.ts';
import { isBatched } from '../../core/allocation/execution-mode.ts';
import type { Registered } from '../setup/register.ts';
import type { Deadline } from '../claim/deadline.ts';
import { createTimeLimit, type TimeLimit } from '../claim/time-limit.ts';

/** The time limit of a runner; undefined if it has none. */
export function runnerLimit(
  { options, registered, patient }: Pick<Joined, 'options' | 'registered' | 'patient'>,
  startedAtMs: number,
  onDue: (deadline: Deadline) => void,
): TimeLimit | undefined {
  const { endAtMs, ending } = options;
  if (endAtMs === undefined) return undefined;
  const { mode, run } = registered;
  const { leadSeconds, headroomSeconds } = terminationOf(run.execution);
  // Steps of Slurm have time limits of their own, which lie before the headroom: the runner signals those that are left then.
  const isInLimits = mode === 'slurm' && !isBatched(mode, run.execution);
  const lead = isInLimits ? Math.min(leadSeconds, headroomSeconds / 2) : leadSeconds;
  return createTimeLimit({
    startedAtMs,
    endAtMs,
    headroomSeconds: isInLimits ? headroomSeconds - lead : headroomSeconds,
    leadSeconds: lead,
    ask: ending ? () => ending.secondsLeft() : options.secondsLeft,
    log: run.log,
    onChanged: (changed) => void reportEnd(patient, registered, changed),
    onDue,
  });
}

/** The record of the runner has its end: a job that needs more time waits for another one. */
async function reportEnd(client: Client, { nodeId, node, run }: Registered, endAtMs: number): Promise<void> {
  node.end_time = timeOfDay(endAtMs).toISOString();
  try {
    await client.updateComputeNode({ params: { id: nodeId }, body: node });
  } catch (error) {
    run.log.write('warn', 'The end of the runner could not be reported', { reason: (error as Error).message });
  }
}
