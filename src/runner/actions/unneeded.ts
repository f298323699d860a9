import type { Log } from '../facts/log.ts';
import type { Scheduling } from '../facts/scheduling.ts';

/** Cancels the queued allocations for which no work is left; resolves when that is done, and never rejects. */
export type CancelUnneeded = () => Promise<void>;

/** One call at a time: the server asks for it, and the end of the runner asks once more. Without sbatch here, others do it. */
export function createCancelUnneeded(scheduling: Scheduling | undefined, log: Log): CancelUnneeded {
  let last: Promise<void> = Promise.resolve();
  const cancel = async () => {
    try {
      const canceled = (await scheduling?.cancelUnneeded()) ?? [];
      if (canceled.length > 0)
        log.write('info', 'Queued allocations were canceled: no job is left that could run in them', {
          slurm_job_ids: canceled.join(','),
        });
    } catch (error) {
      log.write('warn', 'Queued allocations could not be canceled', { reason: (error as Error).message });
    }
  };
  return () => (last = last.then(cancel));
}
