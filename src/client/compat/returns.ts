import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { inParallel } from './in-parallel.ts';
import { type PlainJob, type Reads, READS_AT_ONCE } from './reads.ts';
import { isOfRequest } from './refused.ts';

/** Returns of claimed jobs that were not started. */
export interface Returns {
  /** The parts that were refused. Throws if it is unknown whether the server processed them. */
  giveBack(turn: ExchangeRequest, ids: readonly number[]): Promise<JobCompletionError[]>;
  /** The job was passed on again, so it is held whatever became of its return. */
  isHeldAgain(id: number): void;
}

/** Jobs that are returned are removed from those that are held. */
export function createReturns(client: Client, reads: Reads, held: Map<number, PlainJob>): Returns {
  /** Returned, and the reply was lost: another runner may hold the job now. */
  const inDoubt = new Set<number>();

  const giveBackOne = async (turn: ExchangeRequest, id: number): Promise<JobCompletionError[]> => {
    const refused = (message: string) => {
      held.delete(id);
      return [{ job_id: id, message }];
    };
    // The exchange is repeated, and this part of it was executed: another runner may hold the job now.
    if (!held.has(id) && !inDoubt.has(id)) return [];
    try {
      // The route makes a job ready from any status, also a canceled or ended one.
      if ((await reads.job(id)).status === 'pending') {
        if (inDoubt.has(id) && !(await reads.isAlone(turn.compute_node_id)))
          return refused(
            'it was returned without a reply, and another runner may hold it now. ' +
              `If it is still pending when no runner is active, reset it: torc jobs reset-status ${id} --force --reinit`,
          );
        inDoubt.add(id);
        await client.manageStatusChange({ params: { id, status: 'ready', run_id: turn.run_id } });
      }
      inDoubt.delete(id);
      held.delete(id);
      return [];
    } catch (error) {
      if (isOfRequest(error)) return refused(error.message);
      throw error;
    }
  };

  return {
    giveBack: async (turn, ids) => (await inParallel(ids, READS_AT_ONCE, (id) => giveBackOne(turn, id))).flat(),
    isHeldAgain: (id) => void inDoubt.delete(id),
  };
}
