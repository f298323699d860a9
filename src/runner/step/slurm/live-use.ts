import type { StepFigures } from '../../../cluster/slurm/sstat.ts';
import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Log } from '../../facts/log.ts';
import type { StepUse } from '../steps.ts';
import type { StepIds } from './step-ids.ts';

interface LiveUseOptions {
  readonly slurm: Pick<AllocationSteps, 'uses'>;
  readonly hasBegun: (id: StepId) => boolean;
  readonly ids: Pick<StepIds, 'of' | 'learn'>;
  readonly log: Log;
}

/** The present use of steps, by sstat. */
export interface LiveStepUse {
  /** Asks once for all steps of the allocation. A step without figures is missing. Never rejects. */
  of(wanted: ReadonlySet<StepId>): Promise<ReadonlyMap<StepId, StepUse>>;
  forget(id: StepId): void;
}

export function createLiveUse({ slurm, hasBegun, ids, log }: LiveUseOptions): LiveStepUse {
  const baselines = new Set<StepId>();
  const useOf = (id: StepId, { cpuSeconds, memoryBytes }: StepFigures): StepUse => {
    const isBaseline = !baselines.has(id);
    baselines.add(id);
    return { cpuSeconds, memoryBytes, processes: 1, isBaseline };
  };
  return {
    async of(wanted) {
      const uses = new Map<StepId, StepUse>();
      await ids.learn([...wanted].filter(hasBegun));
      try {
        const figures = await slurm.uses();
        for (const id of wanted) {
          const figure = figures.get(ids.of(id) ?? '');
          if (figure !== undefined) uses.set(id, useOf(id, figure));
        }
      } catch (error) {
        // Steps that end meanwhile make it fail, and so does a controller that is busy.
        log.write('debug', 'sstat failed', { reason: (error as Error).message });
      }
      return uses;
    },
    forget: (id) => void baselines.delete(id),
  };
}
