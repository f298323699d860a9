import type { Fate } from '../../cluster/slurm/ending.ts';
import { constants } from 'node:os';
import type { Log } from '../log.ts';
import type { Watch } from '../observe/watch.ts';
import type { Account } from '../step/steps.ts';
import type { Attempt, Attempts, EndTime } from './attempt.ts';
import type { EndedFor } from './outcome.ts';
import { lookForOutputs } from './outputs.ts';

export interface FinishOptions {
  readonly attempts: Attempts;
  readonly watch: Watch | undefined;
  readonly log: Log;
  /** Why the runner signaled its jobs last. */
  readonly signaledFor: () => EndedFor | undefined;
  /** Why the allocation is being ended. If it starts again its jobs run again, and are not reported. */
  readonly fate: (() => Promise<Fate>) | undefined;
}

/** What becomes of attempts whose steps have ended: a result, or nothing where the allocation starts again. */
export interface Finish {
  /** Ids of jobs that are left to the next life of the allocation. */
  readonly left: ReadonlySet<number>;
  /** Undefined if the result is final at once. */
  finish(attempt: Attempt, end: EndTime, account: Account): Promise<void> | undefined;
}

export function createFinish({ attempts, watch, log, signaledFor, fate }: FinishOptions): Finish {
  const left = new Set<number>();

  const withOutputs = async (attempt: Attempt, end: EndTime, account: Account) => {
    const { missing, files } = await lookForOutputs(attempt.job);
    await attempts.finish(attempt, end, account, missing, files);
  };

  const conclude = (attempt: Attempt, end: EndTime, account: Account): Promise<void> | undefined =>
    attempt.job.output_files && account.exitCode === 0
      ? withOutputs(attempt, end, account)
      : attempts.finish(attempt, end, account, [], undefined);

  /** A requeued allocation runs its jobs again: the next runner in it takes them over as those of a runner that is gone. */
  const leaveOrConclude = async (
    fateOf: () => Promise<Fate>,
    attempt: Attempt,
    end: EndTime,
    account: Account,
  ): Promise<void> => {
    const found = await fateOf();
    if (found === 'preempted') attempt.isPreempted = true;
    if (found !== 'requeued') return conclude(attempt, end, account);
    watch?.end(attempt.step.id);
    left.add(attempt.job.id);
    log.write('info', 'Job ended with its allocation, which starts again; it will run again', {
      job_id: attempt.job.id,
    });
  };

  return {
    left,
    finish(attempt, end, account) {
      // Whoever ends an allocation signals its steps and the runner together: a step may end before the runner learns why.
      if (account.endedBy === 'cancel' || isByTermination(account)) attempt.endedFor ??= signaledFor();
      if (attempt.endedFor === 'stop' && account.exitCode !== 0 && fate !== undefined)
        return leaveOrConclude(fate, attempt, end, account);
      return conclude(attempt, end, account);
    },
  };
}

/** Whether SIGTERM or SIGKILL ended it: also seen through a shell, as 128 and the signal. */
const isByTermination = ({ exitCode, signal }: Account): boolean =>
  [constants.signals.SIGTERM, constants.signals.SIGKILL].some((each) => signal === each || exitCode === 128 + each);
