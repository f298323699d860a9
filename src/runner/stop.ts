import type { Crew } from './crew.ts';
import type { Log } from './log.ts';
import { atMoment } from './moment.ts';
import type { EndedFor } from './outcome.ts';

export interface StopOptions {
  readonly crew: Crew;
  readonly log: Log;
  readonly workflowId: number;
  readonly signal: NodeJS.Signals;
  readonly leadSeconds: number;
  /** Nothing runs any more. */
  readonly onEmpty: () => void;
}

/** Ends what runs: first asks, then, after the lead, kills. Nothing new starts from the first call on. */
export interface Stop {
  readonly began: boolean;
  /**
   * Asks the jobs to end, and kills those that still run after the lead. `killAtMs` (Unix) sets another moment for that;
   * at `abandonAtMs` the runner no longer waits for those that do not end even then. A second call asks nobody again and
   * keeps the first reason, but an earlier moment holds: a deadline that comes during the lead of a Ctrl-C is kept.
   */
  ask(endedFor: EndedFor, killAtMs?: number, abandonAtMs?: number): void;
  /** Starts nothing new and lets the rest end by itself. The runner can still be asked to end its jobs, or to kill them. */
  drain(): void;
  /** Kills them now. */
  kill(endedFor: EndedFor): void;
  /** To be called when jobs ended. */
  ended(): void;
  close(): void;
}

export function createStop({ crew, log, workflowId, signal, leadSeconds, onEmpty }: StopOptions): Stop {
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
    crew.dismiss();
  };

  const ended = () => {
    if (!began || isEmpty || crew.running > 0) return;
    isEmpty = true;
    cancelAll();
    onEmpty();
  };

  const kill = (endedFor: EndedFor) => {
    begin();
    isKilled = true;
    killing.cancel();
    crew.signal('SIGKILL', endedFor);
    ended();
  };

  const askNow = (endedFor: EndedFor, killAtMs: number) => {
    isAsked = true;
    log.write('info', 'Jobs terminating', { workflow_id: workflowId, count: crew.running });
    crew.signal(signal, endedFor);
    const waitMs = Math.max(0, killAtMs - Date.now());
    log.write('info', `Waiting ${Math.round(waitMs / 1000)}s for graceful termination before SIGKILL`);
  };

  return {
    get began() {
      return began;
    },
    ask(endedFor, killAtMs = Date.now() + leadSeconds * 1000, abandonAtMs) {
      begin();
      if (crew.running > 0) {
        if (!isAsked && !isKilled) askNow(endedFor, killAtMs);
        if (!isKilled) killing.at(killAtMs, () => kill(endedFor));
        if (abandonAtMs !== undefined) abandoning.at(abandonAtMs, () => crew.abandon());
      }
      ended();
    },
    drain() {
      begin();
      ended();
    },
    kill,
    ended,
    close: cancelAll,
  };
}

/** Calls at the earliest of the moments (Unix milliseconds) that it was given. */
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
