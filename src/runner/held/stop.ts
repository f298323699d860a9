import type { HeldJobs } from './held-jobs.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { atMoment } from '../../client/long-timers.ts';
import { steadyNow } from '../../client/steady-clock.ts';
import type { Termination } from './signals.ts';
import type { EndedFor } from '../../core/attempt/evidence.ts';

export interface JobStopOptions extends Termination {
  readonly jobs: Pick<HeldJobs, 'running' | 'stopStarting' | 'signal' | 'abandon'>;
  readonly run: Pick<CurrentRun, 'workflowId' | 'log'>;
  /** No job runs any more. */
  readonly onEmpty: () => void;
}

export type Stop = ReturnType<typeof createStop>;

/**
 * Ends running jobs: first it signals them, then, after the lead time, it kills them. No job starts after the first
 * call.
 */
export function createStop({ jobs, run, signal, leadSeconds, onEmpty }: JobStopOptions) {
  const { workflowId, log } = run;
  let began = false;
  let isAsked = false;
  let isKilled = false;
  let isEmpty = false;
  const killing = createEarliest();
  const abandoning = createEarliest();
  const cancelAll = () => {
    killing.cancel();
    abandoning.cancel();
  };

  const begin = () => {
    began = true;
    jobs.stopStarting();
  };

  const ended = () => {
    if (!began || isEmpty || jobs.running > 0) return;
    isEmpty = true;
    cancelAll();
    onEmpty();
  };

  const kill = (endedFor: EndedFor) => {
    begin();
    isKilled = true;
    killing.cancel();
    jobs.signal('SIGKILL', endedFor);
    ended();
  };

  const askNow = (endedFor: EndedFor, killAtMs: number) => {
    isAsked = true;
    log.write('info', 'Jobs terminating', { workflow_id: workflowId, count: jobs.running });
    jobs.signal(signal, endedFor);
    const waitMs = Math.max(0, killAtMs - steadyNow());
    log.write('info', `Waiting ${Math.round(waitMs / 1000)}s for graceful termination before SIGKILL`);
  };

  return {
    get began() {
      return began;
    },
    /**
     * Signals the jobs to end, and kills those that still run after the lead time. `killAtMs` (of `steadyNow`) sets another moment
     * for that; at `abandonAtMs` the runner stops waiting for jobs that do not even end then. A second call sends no
     * signal and keeps the first reason, but an earlier moment applies: a deadline during the lead time of a Ctrl-C is
     * kept.
     */
    ask(endedFor: EndedFor, killAtMs = steadyNow() + leadSeconds * 1000, abandonAtMs?: number) {
      begin();
      if (jobs.running > 0) {
        if (!isAsked && !isKilled) askNow(endedFor, killAtMs);
        if (!isKilled) killing.at(killAtMs, () => kill(endedFor));
        if (abandonAtMs !== undefined) abandoning.at(abandonAtMs, () => jobs.abandon());
      }
      ended();
    },
    /** Starts no job and lets running jobs end by themselves. They can still be asked to end, or killed. */
    drain() {
      begin();
      ended();
    },
    /** Kills the jobs now. */
    kill,
    /** To be called when jobs ended. */
    ended,
    close: cancelAll,
  };
}

/** Calls the function at the earliest of the given moments (of `steadyNow`). */
function createEarliest(): { at(atMs: number, call: () => void): void; cancel(): void } {
  let earliestMs = Infinity;
  let timer: { cancel(): void } | undefined;
  return {
    at(atMs, call) {
      if (atMs >= earliestMs) return;
      earliestMs = atMs;
      timer?.cancel();
      timer = atMoment(atMs, call);
    },
    cancel: () => timer?.cancel(),
  };
}
