import type { Fate } from '../../cluster/batch/batch-system.ts';
import type { Log } from '../facts/log.ts';
import type { Watch } from '../observe/watch.ts';
import type { SettledEnd } from '../step/steps.ts';
import type { Attempt, EndTime } from './attempt.ts';
import type { Conclude } from './conclude.ts';
import { isUnproven } from '../../core/attempt/evidence.ts';
import {
  afterSharedSignal,
  endedForOf,
  isByTermination,
  SHARED_SIGNAL_MS,
  type Signaled,
  waitSecondsFor,
} from './shared-signal.ts';

export interface FinishOptions {
  readonly conclude: Conclude;
  readonly watch: Watch | undefined;
  readonly log: Log;
  /** When and why the runner signaled its jobs; undefined if it did not. */
  readonly signaled: () => Signaled | undefined;
  /** What ends its allocation signals the jobs and the runner together. */
  readonly sharesSignals: boolean;
  /** Slurm signals the steps of jobs before the runner where it ends an allocation for its time, or for another one. */
  readonly hasSteps: boolean;
  /** How long a success waits, because this process may be killed just after its job; 0 for not at all. */
  readonly successWaitMs: number;
  /** Whether and why the allocation is being ended. If it starts again its jobs run again, and are not reported. */
  readonly fate: (() => Promise<Fate>) | undefined;
}

/** What becomes of attempts whose steps have ended: a result, or nothing where the allocation starts again. */
export interface Finish {
  /** Ids of jobs that are left to the next life of the allocation. */
  readonly left: ReadonlySet<number>;
  /** Undefined if the result is final at once. */
  finish(attempt: Attempt, end: EndTime, account: SettledEnd): Promise<void> | undefined;
}

type Concluding = ReturnType<Conclude>;

/** The job was signaled first: SIGTERM, without the SIGCONT before that shows the order of its end and the signal. */
const SIGNALED_FIRST = { isHandled: false, isCertain: true };

export function createFinish(options: FinishOptions): Finish {
  const { conclude, watch, log, signaled, sharesSignals, hasSteps, successWaitMs, fate } = options;
  const left = new Set<number>();

  /** A requeued allocation runs its jobs again: the next runner in it takes them over as those of a runner that is gone. */
  const leaveOrConclude = (found: Fate, attempt: Attempt, end: EndTime, account: SettledEnd): Concluding => {
    if (found === 'preempted' || found === 'limit' || found === 'over') attempt.allocationEnd = found;
    if (found !== 'requeued') return conclude(attempt, end, account);
    watch?.end(attempt.step.id);
    left.add(attempt.job.id);
    log.write('info', 'Job ended with its allocation, which starts again; it will run again', {
      job_id: attempt.job.id,
    });
    return undefined;
  };

  const isBad = (account: SettledEnd) => account.exitCode !== 0 || isUnproven(account);

  const decide = (attempt: Attempt, end: EndTime, account: SettledEnd): Concluding => {
    attempt.endedFor ??= endedForOf({ end, account, signaled: signaled(), sharesSignals });
    if (attempt.endedFor === 'stop' && isBad(account) && fate !== undefined)
      return fate().then((found) => leaveOrConclude(found, attempt, end, account));
    return conclude(attempt, end, account);
  };

  /** The runner got no signal to stop. It may get it late, on a busy node, or with the last node of several. */
  const decideUnsignaled = (attempt: Attempt, end: EndTime, account: SettledEnd): Concluding => {
    // Slurm continued its processes without a signal after it: the allocation goes on.
    if (account.asked?.isCertain === false) return decide(attempt, end, { ...account, asked: undefined });
    // A preemption with GraceTime signals the steps alone: such a job was asked to end, whatever it makes of that.
    const wasAsked = account.endedBy === undefined && (isByTermination(account) || account.asked !== undefined);
    const isUnexplained = account.endedBy === 'allocation' || wasAsked;
    if (!isUnexplained || fate === undefined) return decide(attempt, end, account);
    return fate().then((found) => {
      if (found !== 'alive' && found !== 'unknown') attempt.endedFor ??= 'stop';
      return decide(attempt, end, account);
    });
  };

  /** Where Slurm ends an allocation for its time, or for another one, the jobs in steps get SIGTERM first of all. */
  const decideSuccess = (attempt: Attempt, end: EndTime, account: SettledEnd): Concluding => {
    const at = signaled();
    const isNear = at?.endedFor === 'stop' && Math.abs(end.atMs - at.atMs) < SHARED_SIGNAL_MS;
    if (!hasSteps || !isNear || account.asked !== undefined || fate === undefined) return decide(attempt, end, account);
    return fate().then((found) => {
      const isFirst = found === 'preempted' || found === 'limit';
      return decide(attempt, end, isFirst ? { ...account, asked: SIGNALED_FIRST } : account);
    });
  };

  return {
    left,
    finish(attempt, end, account) {
      const isSignaled = () => signaled() !== undefined;
      if (!isBad(account)) {
        if (successWaitMs === 0) return decideSuccess(attempt, end, account);
        return afterSharedSignal(end, successWaitMs / 1000, isSignaled).then(() =>
          decideSuccess(attempt, end, account),
        );
      }
      const isOpen = sharesSignals && attempt.endedFor === undefined && !isSignaled();
      const seconds = isOpen ? waitSecondsFor(account) : 0;
      if (seconds === 0) return decide(attempt, end, account);
      return afterSharedSignal(end, seconds, isSignaled).then(() =>
        isSignaled() ? decide(attempt, end, account) : decideUnsignaled(attempt, end, account),
      );
    },
  };
}
