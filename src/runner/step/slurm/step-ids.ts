import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Log } from '../../facts/log.ts';

/** Torc's rhythm for the ids of steps. */
const TRIES = 5;
const POLL_MS = 200;

const pause = () => new Promise<void>((done) => void setTimeout(done, POLL_MS));

/** The ids that Slurm gave to steps, such as `12.3`. */
export interface StepIds {
  of(id: StepId): string | undefined;
  /** Asks for the ids of these steps, until Slurm knows all of them, for a second at most. Never rejects. */
  learn(ids: readonly StepId[]): Promise<void>;
  forget(id: StepId): void;
}

export function createStepIds(
  slurm: Pick<AllocationSteps, 'ids'>,
  isRunning: (id: StepId) => boolean,
  log: Log,
): StepIds {
  const known = new Map<StepId, string>();
  const areMissing = (ids: readonly StepId[]) => ids.some((id) => isRunning(id) && !known.has(id));
  return {
    of: (id) => known.get(id),
    async learn(ids) {
      for (let attempt = 1; areMissing(ids); attempt += 1) {
        try {
          for (const [name, id] of await slurm.ids()) if (isRunning(name)) known.set(name, id);
        } catch (error) {
          log.write('debug', 'The steps of the allocation cannot be listed', { reason: (error as Error).message });
        }
        if (attempt === TRIES) return;
        if (areMissing(ids)) await pause();
      }
    },
    forget: (id) => void known.delete(id),
  };
}
