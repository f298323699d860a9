import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import { createSlurmSteps, type SlurmStepOptions } from '../slurm/slurm.ts';
import type { StepAccount, StartedStep, StepEnd, Steps, Uses } from '../steps.ts';

export type OwnSteps = ReturnType<typeof createOwnSteps>;

/**
 * Jobs that are steps of Slurm themselves, beside those that run in the long step of a node. What runs them is opened when the first
 * job needs a step of its own.
 */
export function createOwnSteps(options: SlurmStepOptions, report: (ends: readonly StepEnd[]) => void) {
  const ids = new Set<StepId>();
  let steps: Steps | undefined;
  const opened = (): Steps => {
    if (steps !== undefined) return steps;
    steps = createSlurmSteps(options);
    steps.listen(report);
    return steps;
  };
  return {
    start(id: StepId, job: ClaimedJob, lease: Lease): StartedStep {
      const started = opened().start(job, lease);
      ids.add(id);
      return started;
    },
    has: (id: StepId) => ids.has(id),
    signal: (id: StepId, signal: NodeJS.Signals) => steps?.signal(id, signal),
    kill: (id: StepId) => steps?.kill(id),
    /** Of those among these ids. */
    async observe(asked: ReadonlySet<StepId>): Promise<Uses> {
      const mine = [...asked].filter((id) => ids.has(id));
      return steps === undefined || mine.length === 0 ? new Map() : steps.observe(new Set(mine));
    },
    account(end: StepEnd): StepAccount | Promise<StepAccount> {
      ids.delete(end.id);
      return steps?.account(end) ?? end;
    },
    finish: () => steps?.finish(),
    close: () => steps?.close(),
  };
}
