import type { NodeSize } from '../../core/lifecycle/placement/placement.ts';
import { type EndedAttempt, endedAttempt } from '../attempt/attempt.ts';
import type { Gather } from '../attempt/evidence.ts';
import type { AttemptReports } from '../attempt/report.ts';
import type { Judge } from '../attempt/result.ts';
import type { Capacity } from '../claim/capacity.ts';
import { andThen } from '../facts/and-then.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { Watch } from '../observe/watch.ts';
import type { StepEnd, Steps } from '../step/steps.ts';
import type { HeldJob, JobStates, PlacedAttempt } from './job-states.ts';
import type { Starts } from './starts.ts';
import type { StepLimits } from './step-limits.ts';
import type { WaitingJobs } from './waiting-jobs.ts';

/** What a runner learns of the jobs that it holds. */
export interface HeldEvents {
  /**
   * Jobs ended and are in the outbox; `count` of them were not announced by `freed`. `isQuiet`: their ends make no other job
   * ready, and jobs that were claimed ahead took their places, so there is no hurry to report to the server.
   */
  ended(count: number, isQuiet: boolean): void;
  /** Slots of this many jobs are free, whose ends are reported later. */
  freed(count: number): void;
  /** A step began after a wait. */
  begun(): void;
  /** Jobs can be started again after a pause. */
  resumed(): void;
  /** Jobs cannot be started here at all, for this reason. */
  unable(reason: string): void;
}

export interface EndsOptions {
  readonly run: CurrentRun;
  readonly jobs: JobStates;
  readonly waiting: Pick<WaitingJobs, 'endsQuietly'>;
  readonly starts: Pick<Starts, 'fill' | 'fillFreed' | 'noteLength' | 'seen' | 'refused' | 'takenBack'>;
  readonly capacity: Pick<Capacity, 'free' | 'release'>;
  readonly steps: Pick<Steps, 'account'>;
  readonly watch: Pick<Watch, 'end'> | undefined;
  readonly limits: Pick<StepLimits, 'forget'> | undefined;
  readonly attempts: { readonly gather: Gather } & Pick<Judge, 'judge'> & Pick<AttemptReports, 'report'>;
  /** What ends the allocation signals the steps and this process together: a turn later all of that has arrived. */
  readonly sharesSignals: boolean;
  readonly on: Pick<HeldEvents, 'ended' | 'freed'>;
}

interface EndedJob extends EndedAttempt {
  readonly attempt: PlacedAttempt;
}

/** What a runner does when steps end: the next jobs start first, then the attempts are settled. */
export function createEnds(options: EndsOptions) {
  const { run, jobs, waiting, starts, capacity, steps, watch, limits, attempts, sharesSignals, on } = options;
  const { gather, judge, report } = attempts;

  /** Takes the ended attempts out of the running ones; a step that is not known any more is ignored. */
  const end = (stepEnds: readonly StepEnd[]): EndedJob[] =>
    stepEnds.flatMap((stepEnd) => {
      const attempt = jobs.running.get(stepEnd.id);
      if (attempt === undefined) return [];
      limits?.forget(stepEnd.id);
      if (jobs.end(attempt)) capacity.release(attempt.lease);
      const ended = endedAttempt(attempt, stepEnd);
      starts.noteLength(ended.seconds);
      return [ended];
    });

  /** The way of an attempt from its end into ledger and outbox; at once, if nothing has to be awaited. */
  const settle = (ended: EndedJob): void | Promise<void> =>
    andThen(steps.account(ended.stepEnd), (account) => {
      const { attempt } = ended;
      const observed = watch?.end(attempt.step.id);
      if (account.refused !== undefined) return starts.refused(attempt, account.refused);
      if (account.isTakenBack === true) return starts.takenBack(attempt);
      starts.seen(attempt);
      return andThen(gather(ended, account), (known) =>
        known === 'kept' ? keep(attempt) : report(judge(known, observed)),
      );
    });

  const keep = (attempt: PlacedAttempt) => {
    jobs.keep(attempt);
    run.log.write('info', 'Job ended with its allocation, which starts again; it will run again', {
      job_id: attempt.job.id,
    });
  };

  /** This job is not settled before the promise resolves. */
  const settleLater = (held: HeldJob, settled: Promise<void>) => {
    jobs.settle(held);
    void settled.then(() => {
      jobs.drop(held);
      waiting.endsQuietly(held.job.id);
      starts.fillFreed();
      run.ledger.flush();
      on.ended(0, false);
    });
  };

  const settleAll = (ended: readonly EndedJob[], before: NodeSize) => {
    const settled: PlacedAttempt[] = [];
    let isQuiet = true;
    for (const each of ended) {
      const { attempt, stepEnd } = each;
      const later = settle(each);
      if (later instanceof Promise) {
        settleLater(attempt, later);
        continue;
      }
      isQuiet = waiting.endsQuietly(attempt.job.id) && stepEnd.exitCode === 0 && isQuiet;
      settled.push(attempt);
    }
    starts.fillFreed();
    for (const each of settled) jobs.drop(each);
    run.ledger.flush();
    if (settled.length < ended.length) on.freed(ended.length - settled.length);
    if (settled.length > 0) on.ended(settled.length, isQuiet && !hasMore(capacity.free(), before));
  };

  return {
    settleLater,
    take(stepEnds: readonly StepEnd[]) {
      const before = capacity.free();
      const ended = end(stepEnds);
      // The next jobs first: everything else can wait.
      starts.fill();
      if (sharesSignals) setImmediate(() => settleAll(ended, before));
      else settleAll(ended, before);
    },
  };
}

/** Is there more of anything than before? */
const hasMore = (now: NodeSize, before: NodeSize): boolean =>
  now.cpus > before.cpus || now.memoryBytes > before.memoryBytes || now.gpus > before.gpus;
