import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import { createSlurmSteps, type SlurmStepOptions } from '../slurm/slurm.ts';
import type { StepAccount, StartedStep, StepEnd, Steps, Uses } from '../steps.ts';

/** Jobs that are steps of Slurm themselves, beside those that run in the long step of a node. */
export interface OwnSteps {
  start(id: StepId, job: ClaimedJob, lease: Lease): StartedStep;
  has(id: StepId): boolean;
  signal(id: StepId, signal: NodeJS.Signals): void;
  kill(id: StepId): void;
  /** Of those among these ids. */
  observe(ids: ReadonlySet<StepId>): Promise<Uses>;
  account(end: StepEnd): StepAccount | Promise<StepAccount>;
  finish(): void | Promise<void>;
  close(): void;
}

/** What runs them is opened when the first job needs a step of its own. */
export function createOwnSteps(options: SlurmStepOptions, report: (ends: readonly StepEnd[]) => void): OwnSteps {
  const ids = new Set<StepId>();
  let steps: Steps | undefined;
  const opened = (): Steps => {
    if (steps !== undefined) return steps;
    steps = createSlurmSteps(options);
    steps.listen(report);
    return steps;
  };
  return {
    start(id, job, lease) {
      const started = opened().start(job, lease);
      ids.add(id);
      return started;
    },
    has: (id) => ids.has(id),
    signal: (id, signal) => steps?.signal(id, signal),
    kill: (id) => steps?.kill(id),
    async observe(asked) {
      const mine = [...asked].filter((id) => ids.has(id));
      return steps === undefined || mine.length === 0 ? new Map() : steps.observe(new Set(mine));
    },
    account(end) {
      ids.delete(end.id);
      return steps?.account(end) ?? end;
    },
    finish: () => steps?.finish(),
    close: () => steps?.close(),
  };
}
