import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { NodeSize } from '../../core/lifecycle/placement.ts';
import type { Capacity } from '../claim/capacity.ts';
import type { Watch } from '../observe/watch.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Filling } from './filling.ts';
import type { PendingJobs } from './pending-jobs.ts';
import { leave } from './places.ts';
import type { Running, UnderWay } from './under-way.ts';
import type { SettledEnd, StepEnd, Steps } from '../step/steps.ts';
import { type EndTime, endTimeOf } from '../attempt/attempt.ts';
import type { StepLimits } from './step-limits.ts';

export interface StepsEndedOptions {
  readonly underWay: UnderWay;
  readonly capacity: Pick<Capacity, 'free' | 'release'>;
  readonly steps: Pick<Steps, 'account'>;
  /** Determines the result of an attempt; undefined if it is final at once. */
  readonly finish: (attempt: Running, end: EndTime, account: SettledEnd) => Promise<void> | undefined;
  readonly watch: Pick<Watch, 'end'> | undefined;
  readonly pending: Pick<PendingJobs, 'endsQuietly'>;
  readonly filling: Pick<Filling, 'fill' | 'fillFreed' | 'seen' | 'refused' | 'takenBack' | 'ended'>;
  readonly limits: Pick<StepLimits, 'forget'> | undefined;
  readonly ledger: Pick<Ledger, 'flush'>;
  /** What ends the allocation signals the steps and this process together: a turn later all of that has arrived. */
  readonly sharesSignals: boolean;
  /** See `RunningJobsOptions`. */
  readonly onFreed?: ((count: number) => void) | undefined;
  /** See `RunningJobsOptions`. */
  readonly onEnded: (count: number, isQuiet: boolean) => void;
}

/** What a runner does when steps end: the next jobs start first, then the ends get their results. */
export interface StepsEnded {
  take(stepEnds: readonly StepEnd[]): void;
  /** A result of this job is not final yet. */
  settle(job: ClaimedJob, reported: Promise<void>): void;
}

/** A step that ended, and when. */
interface Ended {
  readonly attempt: Running;
  readonly end: EndTime;
  readonly stepEnd: StepEnd;
}

export function createStepsEnded(options: StepsEndedOptions): StepsEnded {
  const { underWay, capacity, steps, watch, pending, filling, limits, ledger, sharesSignals } = options;
  const { onFreed, onEnded } = options;

  const settle = (job: ClaimedJob, reported: Promise<void>) => {
    underWay.settling.add(job.id);
    void reported.then(() => {
      underWay.settling.delete(job.id);
      pending.endsQuietly(job.id);
      filling.fillFreed();
      ledger.flush();
      onEnded(0, false);
    });
  };

  /** Takes the ended attempts out of the running ones; a step that is not known any more is ignored. */
  const reap = (stepEnds: readonly StepEnd[]): Ended[] =>
    stepEnds.flatMap((stepEnd): Ended[] => {
      const attempt = underWay.running.get(stepEnd.id);
      if (attempt === undefined) return [];
      underWay.running.delete(stepEnd.id);
      underWay.settling.add(attempt.job.id);
      limits?.forget(stepEnd.id);
      if (leave(attempt)) capacity.release(attempt.lease);
      const end = endTimeOf(attempt, stepEnd);
      filling.ended(end.seconds);
      return [{ attempt, end, stepEnd }];
    });

  /** Undefined if the result is final at once. */
  const finish = (attempt: Running, end: EndTime, account: SettledEnd): Promise<void> | undefined => {
    const { refused, isTakenBack } = account;
    if (refused === undefined && isTakenBack !== true) {
      filling.seen(attempt);
      return options.finish(attempt, end, account);
    }
    watch?.end(attempt.step.id);
    if (refused === undefined) filling.takenBack(attempt);
    else filling.refused(attempt, refused);
    return undefined;
  };

  /** The exit code if the result is final at once; `later` otherwise. */
  const conclude = ({ attempt, end, stepEnd }: Ended): SettledEnd['exitCode'] | 'later' => {
    const { job } = attempt;
    const account = steps.account(stepEnd);
    if (account instanceof Promise) {
      settle(
        job,
        account.then((known) => finish(attempt, end, known)),
      );
      return 'later';
    }
    const reported = finish(attempt, end, account);
    if (reported === undefined) return account.exitCode;
    settle(job, reported);
    return 'later';
  };

  const concludeAll = (ended: readonly Ended[], before: NodeSize) => {
    const finished: number[] = [];
    let isQuiet = true;
    for (const each of ended) {
      const exitCode = conclude(each);
      if (exitCode === 'later') continue;
      isQuiet = pending.endsQuietly(each.attempt.job.id) && exitCode === 0 && isQuiet;
      finished.push(each.attempt.job.id);
    }
    filling.fillFreed();
    for (const id of finished) underWay.settling.delete(id);
    ledger.flush();
    if (finished.length < ended.length) onFreed?.(ended.length - finished.length);
    if (finished.length > 0) onEnded(finished.length, isQuiet && !hasMore(capacity.free(), before));
  };

  return {
    settle,
    take(stepEnds) {
      const before = capacity.free();
      const ended = reap(stepEnds);
      // The next jobs first: everything else can wait.
      filling.fill();
      if (sharesSignals) setImmediate(() => concludeAll(ended, before));
      else concludeAll(ended, before);
    },
  };
}

/** Is there more of anything than before? */
const hasMore = (now: NodeSize, before: NodeSize): boolean =>
  now.cpus > before.cpus || now.memoryBytes > before.memoryBytes || now.gpus > before.gpus;
