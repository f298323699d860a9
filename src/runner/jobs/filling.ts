import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Capacity } from '../claim/capacity.ts';
import { createFailedStart, type FailedStartOptions } from './failed-start.ts';
import { createSendingAhead, type SendingAhead } from './sending-ahead.ts';
import type { PendingJobs } from './pending-jobs.ts';
import { createRefusals } from './refusals.ts';
import { createStartPause } from './start-pause.ts';
import { createJobStarts, type JobStartsOptions } from './starts.ts';
import type { Steps } from '../step/steps.ts';
import type { Running } from './under-way.ts';

export interface FillingOptions
  extends Omit<JobStartsOptions, 'onFailed'>, Omit<FailedStartOptions, 'startPause' | 'pending'> {
  readonly capacity: Capacity;
  readonly pending: PendingJobs;
  readonly steps: Pick<Steps, 'start' | 'mayFollow' | 'takeBack'>;
  /** Jobs can be started again after a pause. */
  readonly onResumed: (() => void) | undefined;
}

/** Fills the free resources of a runner with its pending jobs. */
export interface Filling extends Pick<SendingAhead, 'ended' | 'takeBackAll'> {
  /** Whether a job of one CPU and no memory could start now. */
  readonly hasRoom: boolean;
  /** A step was refused just now: no job is wanted until the pause is over. */
  readonly isHeldOff: boolean;
  /** Starts the jobs that fit, in order, and skips the others. */
  fill(): void;
  /** The same, only if jobs became free that waited for others. */
  fillFreed(): void;
  /** The end of a step is known: its start is logged, if it was not seen to begin. */
  seen(attempt: Running): void;
  /** A step was refused after its start: its job runs somewhere else, or here later. */
  refused(attempt: Running, reason: string): void;
  /** A step that was sent ahead did not start: its job is the next again, if jobs may start. */
  takenBack(attempt: Running): void;
  /** No start follows a pause. */
  endPause(): void;
}

/**
 * Pause after a step was refused. Its job is ready again, and this runner may claim it: too short, and both ask in circles;
 * too long, and free CPUs wait for a batch system that was busy for a moment.
 */
const AFTER_REFUSAL_MS = 5_000;

export function createFilling(options: FillingOptions): Filling {
  const { capacity, pending, steps, underWay, log, onBegun, onResumed, onUnable } = options;
  const refusals = createRefusals();
  const startPause = createStartPause(AFTER_REFUSAL_MS, () => {
    refusals.nextRound();
    fill();
    onResumed?.();
  });
  const starts = createJobStarts({
    ...options,
    onBegun(attempt) {
      refusals.started();
      onBegun?.(attempt);
    },
    onFailed: createFailedStart({ ...options, startPause }),
  });
  const isFull = () => capacity.free().cpus <= 0;
  const lease = ({ need }: ClaimedJob) => capacity.lease(need);

  const sendingAhead = createSendingAhead({ steps, underWay, pending, start: starts.start, hasRoom: () => !isFull() });

  const fill = () => {
    if (!pending.isOpen || startPause.isOn) return;
    pending.startFitting({ isFull, lease, start: (job, leased) => starts.start(job, leased) });
    if (!startPause.isOn) sendingAhead.fill();
  };

  return {
    get hasRoom() {
      return pending.isOpen && !startPause.isOn && !isFull();
    },
    get isHeldOff() {
      return startPause.isForRefusal;
    },
    fill,
    fillFreed() {
      if (pending.hasFreed()) fill();
    },
    seen(attempt) {
      refusals.started();
      starts.seen(attempt);
    },
    refused({ job }, reason) {
      log.write('warn', 'Job not started: its step was refused; the job is given back', { job_id: job.id, reason });
      pending.giveBack(job);
      if (!pending.isOpen) return;
      const cause = refusals.refused(reason);
      if (cause === undefined) startPause.begin(AFTER_REFUSAL_MS, 'refusal');
      else onUnable(cause);
    },
    takenBack({ job, isCanceled }) {
      sendingAhead.takenBack();
      if (!pending.isOpen || isCanceled === true) return pending.giveBack(job);
      pending.putBack(job);
      fill();
    },
    ended: sendingAhead.ended,
    takeBackAll: sendingAhead.takeBackAll,
    endPause: startPause.end,
  };
}
