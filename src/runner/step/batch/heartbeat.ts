import { type Timer, after } from '../../../client/long-timers.ts';

/**
 * Notices that the other side has fallen silent: srun waits for ever for a step whose daemon was killed.
 *
 * It counts questions without an answer, not time: a suspended allocation stops both sides.
 */
export interface Heartbeat {
  /** Anything came from the other side. */
  heard(): void;
  close(): void;
}

export interface HeartbeatOptions {
  /** Asks for an answer. */
  readonly ask: () => void;
  /** Nothing came after as many questions as are allowed. */
  readonly onSilent: () => void;
  /** The time between two questions; for tests. */
  readonly everyMs?: number | undefined;
}

/** Too short, and a launcher on a node that is busy to the last CPU counts as dead; too long, and its jobs wait. */
const ASK_MS = 15_000;
const UNANSWERED = 3;
export const SILENT_SECONDS = (ASK_MS * UNANSWERED) / 1000;
/** After the last word of the other side, silence is noticed by then: the first question may follow the word by a whole interval. */
export const LATEST_SILENT_MS = ASK_MS * (UNANSWERED + 1);

export function startHeartbeat({ ask, onSilent, everyMs = ASK_MS }: HeartbeatOptions): Heartbeat {
  let unanswered = 0;
  let timer: Timer;
  const beat = () => {
    if (unanswered === UNANSWERED) return onSilent();
    unanswered += 1;
    ask();
    timer = after(everyMs, beat);
  };
  timer = after(everyMs, beat);
  return {
    heard() {
      unanswered = 0;
    },
    close: () => timer.cancel(),
  };
}
