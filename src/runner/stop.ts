import type { Crew } from './crew.ts';
import type { Log } from './log.ts';
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

/** Ends what runs: first asks, then, after the lead, kills. Nothing new starts from the first word on. */
export interface Stop {
  readonly began: boolean;
  /**
   * Asks the jobs to end, and kills those that still run after the lead. `killAtMs` (Unix) sets another moment for that;
   * at `abandonAtMs` those that do not even end then are waited for no longer.
   */
  ask(endedFor: EndedFor, killAtMs?: number, abandonAtMs?: number): void;
  /** Starts nothing new and lets the rest end by itself. */
  drain(): void;
  /** Kills them now. */
  kill(endedFor: EndedFor): void;
  /** To be called when jobs ended. */
  ended(): void;
  close(): void;
}

export function createStop({ crew, log, workflowId, signal, leadSeconds, onEmpty }: StopOptions): Stop {
  let began = false;
  let isEmpty = false;
  let timer: NodeJS.Timeout | undefined;

  const ended = () => {
    if (!began || isEmpty || crew.running > 0) return;
    isEmpty = true;
    clearTimeout(timer);
    onEmpty();
  };

  const kill = (endedFor: EndedFor) => {
    began = true;
    crew.dismiss();
    crew.signal('SIGKILL', endedFor);
    ended();
  };

  return {
    get began() {
      return began;
    },
    ask(endedFor, killAtMs = Date.now() + leadSeconds * 1000, abandonAtMs) {
      if (began) return;
      began = true;
      crew.dismiss();
      if (crew.running > 0) {
        log.write('info', 'Jobs terminating', { workflow_id: workflowId, count: crew.running });
        crew.signal(signal, endedFor);
        const waitMs = Math.max(0, killAtMs - Date.now());
        log.write('info', `Waiting ${Math.round(waitMs / 1000)}s for graceful termination before SIGKILL`);
        timer = setTimeout(() => {
          kill(endedFor);
          if (abandonAtMs !== undefined && !isEmpty)
            timer = setTimeout(() => crew.abandon(), Math.max(0, abandonAtMs - Date.now()));
        }, waitMs);
      }
      ended();
    },
    drain() {
      began = true;
      crew.dismiss();
      ended();
    },
    kill,
    ended,
    close: () => clearTimeout(timer),
  };
}
