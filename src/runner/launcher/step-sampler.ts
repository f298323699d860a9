import { processesWhere } from '../../cluster/host/marked.ts';
import { stepNameIn } from '../../cluster/slurm/step-name.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Log } from '../facts/log.ts';
import { createProcessUse, stepFinder } from '../step/process-use.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { SonarRecord } from '../step/sonar.ts';

export interface StepSamplerOptions {
  readonly facts: RunFacts;
  /** The allocation of the runner. */
  readonly allocationId: string;
  readonly record: Pick<SonarRecord, 'look' | 'ended'>;
  readonly log: Log;
}

/** Samples of jobs that are steps of Slurm, on the node where this process runs. Slurm started them, so they are looked for. */
export interface StepSampler {
  sample(ids: readonly StepId[]): void;
  ended(id: StepId, figures: { readonly cpuSeconds: number | undefined; readonly peakBytes: number | undefined }): void;
  close(): void;
}

export function createStepSampler({ facts, allocationId, record, log }: StepSamplerOptions): StepSampler {
  const roots = new Map<StepId, number>();
  /** The steps of Slurm, from the variables of their processes. */
  const slurmSteps = new Map<StepId, string>();
  const stepOf = stepFinder({ facts, allocationId });
  const use = createProcessUse({
    facts,
    allocationId,
    pidOf: (id) => roots.get(id),
    isOfStep: isTask,
    log,
    onProcesses: (processes) => record.look(processes, slurmSteps),
  });

  /** The first process of each step: the others descend from it, or have its variables. */
  const find = (missing: ReadonlySet<StepId>) => {
    const owners: StepId[] = [];
    const pids = processesWhere((environment, pid) => {
      const id = isTask(environment) ? stepOf(environment, pid) : undefined;
      if (id === undefined || !missing.has(id)) return false;
      owners.push(id);
      slurmSteps.set(id, stepNameIn(environment) ?? '');
      return true;
    });
    for (const [at, id] of owners.entries()) {
      const pid = pids[at];
      // Ids grow, so the first process of a step mostly has the lowest.
      if (pid !== undefined && pid < (roots.get(id) ?? Infinity)) roots.set(id, pid);
    }
  };

  return {
    sample(ids) {
      const missing = new Set(ids.filter((id) => !roots.has(id)));
      if (missing.size > 0) find(missing);
      use.of(new Set(ids.filter((id) => roots.has(id))));
    },
    ended(id, figures) {
      record.ended(id, { pid: roots.get(id) ?? 0, ...figures });
      roots.delete(id);
      slurmSteps.delete(id);
    },
    close: () => use.close(),
  };
}

/** On the node of the runner srun has the variables of its job, too; only its task has that of the step. */
const isTask = (environment: readonly string[]): boolean => stepNameIn(environment) !== undefined;
