import { type SlurmJob, wholeJobs } from '../../../core/allocation/slurm-job.ts';
import { type BatchWords, batchWords } from '../../../core/allocation/batch-words.ts';
import { recoverCommand } from '../../../core/lifecycle/explain/next-command.ts';
import { type QueueReason, queueReasonOf } from '../../../core/lifecycle/explain/queue-reason.ts';
import { someOf } from '../../../core/quantity/count-text.ts';
import type { QueuedAllocation } from '../../submit/queued-allocations.ts';
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
  const known = queued.flatMap(({ reason, ...each }) => (reason === undefined ? [] : [{ ...each, reason }]));
  const ended =
    gone.length === 0
      ? []
      : [
          `${gone.length === 1 ? 'Allocation' : 'Allocations'} ${someOf(gone)} ended before a runner began. ${isAlive ? 'Others work or wait. To go on when they have ended' : 'To go on'}: ${hint(recoverCommand(id, isAlive))}`,
        ];
  const waiting = [...Map.groupBy(known, ({ reason }) => reason)].flatMap(([reason, those]) => {
    const ids = those.map(({ slurmJobId }) => slurmJobId);
    return [reasonLine(queueReasonOf(reason), ids, batchWords(those[0]?.system))];
  });
  return [...ended, ...waiting];
}

/**
 * The allocations that do not wait as most do, each with a line of its own; tasks of an array that wait for the same reason have one
 * together. The names of nodes at the end of a reason change while it stays the same.
 */
export const stuckAllocations = (queued: readonly QueuedAllocation[]) =>
  [
    ...Map.groupBy(queued, ({ slurmJobId, reason }) => `${wholeJobs([slurmJobId])[0]} ${reason?.split(',')[0]}`),
  ].flatMap(([key, those]) => {
    const found = those[0]?.reason === undefined ? undefined : queueReasonOf(those[0].reason);
    if (found === undefined || found.isUsual) return [];
    const ids = those.map(({ slurmJobId }) => slurmJobId);
    return [{ key, line: reasonLine(found, ids, batchWords(those[0]?.system)) }];
  });

/** Allocations that a command names. */
const NAMED = 5;

function reasonLine({ words, isFinal, isHeld }: QueueReason, ids: readonly SlurmJob[], batch: BatchWords): string {
  const isOne = ids.length === 1;
  const who = `${isOne ? 'Allocation' : 'Allocations'} ${someOf(ids.map(String))}`;
  if (!isFinal) return `${who} ${isOne ? 'waits' : 'wait'} in the queue of ${batch.name} (${words})`;
  const named = ids.slice(0, NAMED).join(' ');
  const release = isHeld ? ` To let ${isOne ? 'it' : 'them'} start: ${batch.release} ${named}.` : '';
  return `${who} ${isOne ? 'does' : 'do'} not start as requested (${words}).${release} To give up: ${batch.cancel} ${named}`;
}
