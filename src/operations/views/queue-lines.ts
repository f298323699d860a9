import { type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import { recoverCommand } from '../../core/lifecycle/next-command.ts';
import { queueReasonOf } from '../../core/lifecycle/queue-reason.ts';
import { someOf } from '../../core/quantity/count-text.ts';
import type { QueuedAllocation } from '../queued-allocations.ts';
import type { Hint } from './next-lines.ts';

/** Allocations that wait in the queue, of which workflow, and how many runners and allocations work for it. */
interface Queue {
  readonly queued: readonly QueuedAllocation[];
  readonly id: number;
  readonly working: number;
}

/** Why allocations wait, as Slurm says it, and which of them have ended. */
export function queueLines({ queued, id, working }: Queue, hint: Hint): string[] {
  const gone = queued.filter(({ hasEnded }) => hasEnded).map(({ slurmJobId }) => String(slurmJobId));
  const isAlive = working > 0 || gone.length < queued.length;
  const known = queued.flatMap(({ slurmJobId, reason }) => (reason === undefined ? [] : [{ slurmJobId, reason }]));
  const ended =
    gone.length === 0
      ? []
      : [
          `${gone.length === 1 ? 'Allocation' : 'Allocations'} ${someOf(gone)} ended before a runner began. ${isAlive ? 'Others work or wait. To go on when they have ended' : 'To go on'}: ${hint(recoverCommand(id, isAlive))}`,
        ];
  const waiting = [...Map.groupBy(known, ({ reason }) => reason)].flatMap(([reason, those]) => {
    const { words, isFinal } = queueReasonOf(reason);
    const ids = those.map(({ slurmJobId }) => slurmJobId);
    const isOne = ids.length === 1;
    const who = `${isOne ? 'Allocation' : 'Allocations'} ${someOf(ids.map(String))}`;
    return isFinal
      ? [stuckLine(who, isOne, words, ids)]
      : [`${who} ${isOne ? 'waits' : 'wait'} in the queue of Slurm (${words})`];
  });
  return [...ended, ...waiting];
}

/**
 * The allocations that do not start without a change, each with a line of its own; tasks of an array that
 * wait for the same reason have one together.
 */
export const stuckAllocations = (queued: readonly QueuedAllocation[]) =>
  [...Map.groupBy(queued, ({ slurmJobId, reason }) => `${wholeJobs([slurmJobId])[0]} ${reason}`)].flatMap(
    ([key, those]) => {
      const found = those[0]?.reason === undefined ? undefined : queueReasonOf(those[0].reason);
      if (found?.isFinal !== true) return [];
      const ids = those.map(({ slurmJobId }) => slurmJobId);
      const who = `${ids.length === 1 ? 'Allocation' : 'Allocations'} ${someOf(ids.map(String))}`;
      return [{ key, line: stuckLine(who, ids.length === 1, found.words, ids) }];
    },
  );

const stuckLine = (who: string, isOne: boolean, words: string, ids: readonly SlurmJob[]) =>
  `${who} ${isOne ? 'does' : 'do'} not start as requested (${words}). To give up: scancel ${ids.slice(0, 5).join(' ')}`;
