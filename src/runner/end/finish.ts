import type { Fate } from '../../cluster/slurm/ending.ts';
import type { Log } from '../log.ts';
import type { Watch } from '../observe/watch.ts';
import type { Account } from '../step/steps.ts';
import type { Attempt, Attempts, EndTime } from './attempt.ts';
import { lookForOutputs } from './outputs.ts';
import { afterSharedSignal, endedForOf, mayShareSignal, type Signaled } from './shared-signal.ts';

export interface FinishOptions {
  readonly attempts: Attempts;
  readonly watch: Watch | undefined;
  readonly log: Log;
  /** When and why the runner signaled its jobs; undefined if it did not. */
  readonly signaled: () => Signaled | undefined;
  /** Whoever ends its allocation signals the jobs and the runner together. */
  readonly sharesSignals: boolean;
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

export function createFinish({ attempts, watch, log, signaled, sharesSignals, fate }: FinishOptions): Finish {
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

  const decide = (attempt: Attempt, end: EndTime, account: Account): Promise<void> | undefined => {
    attempt.endedFor ??= endedForOf({ end, account, signaled: signaled(), sharesSignals });
    if (attempt.endedFor === 'stop' && account.exitCode !== 0 && fate !== undefined)
      return leaveOrConclude(fate, attempt, end, account);
    return conclude(attempt, end, account);
  };

  return {
    left,
    finish(attempt, end, account) {
      const isOpen = sharesSignals && attempt.endedFor === undefined && signaled() === undefined;
      if (!isOpen || !mayShareSignal(account)) return decide(attempt, end, account);
      return afterSharedSignal(end).then(() => decide(attempt, end, account));
    },
  };
}
