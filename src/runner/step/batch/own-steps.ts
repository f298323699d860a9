import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import type { StepAccount, StartedStep, StepEnd, Steps, Uses } from '../steps.ts';

export type OwnSteps = ReturnType<typeof createOwnSteps>;

/**
 * Jobs that no launcher starts, beside those that one does: steps of Slurm for themselves, or processes of this node. What runs them is
 * opened when the first job needs it.
 */
export function createOwnSteps(open: () => Steps, report: (ends: readonly StepEnd[]) => void) {
  const ids = new Set<StepId>();
  let steps: Steps | undefined;
  const opened = (): Steps => {
    if (steps !== undefined) return steps;
    steps = open();
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
    count: () => ids.size,
    signal: (id: StepId, signal: NodeJS.Signals) => steps?.signal(id, signal),
    allocationSignaled: (signal: NodeJS.Signals) => steps?.allocationSignaled(signal),
    passOn: (signal: NodeJS.Signals) => steps?.passOn(signal),
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
