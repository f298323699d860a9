import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { Log } from '../../facts/log.ts';

const LOOK_MS = 200;
const LOOKS = 150;
/** Without an answer nothing is learned by asking on. */
const MOST_UNANSWERED = 3;

/**
 * Ends a step whose srun is gone, and waits until Slurm lists it no more, for half a minute at most: Slurm's usual
 * KillWait. Never rejects.
 */
export async function endOfStep(slurm: Pick<AllocationSteps, 'ids' | 'signal'>, step: string, log: Log): Promise<void> {
  await slurm.signal([step], 'SIGKILL').catch(() => {});
  let unanswered = 0;
  for (let look = 0; look < LOOKS && unanswered < MOST_UNANSWERED; look += 1) {
    try {
      const listed = [...(await slurm.ids()).values()];
      if (!listed.includes(step)) return;
    } catch (error) {
      unanswered += 1;
      log.write('debug', 'The steps of the allocation cannot be listed', { reason: (error as Error).message });
    }
    await new Promise<void>((done) => void setTimeout(done, LOOK_MS));
  }
}
