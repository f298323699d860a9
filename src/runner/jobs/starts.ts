import { lookBefore } from '../attempt/outputs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Capacity, Lease } from '../claim/capacity.ts';
import { LaunchError } from '../launch/launcher.ts';
import type { Log } from '../facts/log.ts';
import type { Watch } from '../observe/watch.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Outbox } from '../ledger/outbox.ts';
import type { RunFacts } from '../step/request.ts';
import type { Steps } from '../step/steps.ts';
import { follow } from './places.ts';
import type { Running, UnderWay } from './under-way.ts';

export interface JobStartsOptions {
  readonly facts: RunFacts;
  readonly underWay: UnderWay;
  readonly capacity: Pick<Capacity, 'release'>;
  readonly steps: Pick<Steps, 'start'>;
  readonly ledger: Pick<Ledger, 'start'>;
  readonly outbox: Pick<Outbox, 'started'>;
  readonly watch: Pick<Watch, 'begin'> | undefined;
  readonly log: Log;
  /** A step began after a wait. */
  readonly onBegun: ((attempt: Running) => void) | undefined;
  /** A launch failed; false if no more jobs can be started for now. */
  readonly onFailed: (job: ClaimedJob, startedAtMs: number, error: LaunchError) => boolean;
}

/** Starts jobs, and reports their starts. */
export interface JobStarts {
  /** False if no more jobs can be started for now. With `before` it is sent ahead, and starts in the place of that attempt. */
  start(job: ClaimedJob, lease: Lease, before?: Running): boolean;
  /** The end of a step is known. One that was not seen to begin is logged now; its end reports both. */
  seen(attempt: Running): void;
}

export function createJobStarts(options: JobStartsOptions): JobStarts {
  const { facts, underWay, capacity, steps, ledger, outbox, watch, log, onBegun, onFailed } = options;

  const logStart = (attempt: Running) => {
    const { job, step } = attempt;
    attempt.isBegun = true;
    log.write('info', 'Job started', {
      workflow_id: facts.workflowId,
      job_id: job.id,
      job_name: job.name,
      ...step.about,
    });
  };

  const begun = (attempt: Running) => {
    const { job, startedAtMs } = attempt;
    outbox.started({ job_id: job.id, attempt_id: job.attempt_id, atMs: startedAtMs });
    logStart(attempt);
  };

  /** It waited for its turn before: that is not its time. */
  const begunLater = (attempt: Running, agoMs: number) => {
    if (!underWay.running.has(attempt.step.id)) return;
    const nowMs = Date.now();
    attempt.startedAtMs = nowMs - agoMs;
    attempt.startedAt = performance.now() - agoMs;
    begun(attempt);
    onBegun?.(attempt);
  };

  return {
    start(job, lease, before) {
      const startedAtMs = Date.now();
      const startedAt = performance.now();
      ledger.start(job.id, job.attempt_id);
      try {
        const outputsBefore = lookBefore(job);
        const step = steps.start(job, lease, before?.step.id);
        const attempt: Running = {
          job,
          lease,
          step,
          startedAtMs,
          startedAt,
          outputsBefore,
          isBegun: false,
          ...UNENDED,
        };
        if (before !== undefined) follow(before, attempt);
        underWay.running.set(step.id, attempt);
        watch?.begin(step.id, job);
        if (step.begun === undefined) begun(attempt);
        else void step.begun.then((agoMs) => begunLater(attempt, agoMs));
        return true;
      } catch (error) {
        if (before === undefined) capacity.release(lease);
        if (!(error instanceof LaunchError)) throw error;
        return onFailed(job, startedAtMs, error);
      }
    },
    seen(attempt) {
      if (!attempt.isBegun) logStart(attempt);
    },
  };
}

const UNENDED = { endedFor: undefined, wasKilled: false };
