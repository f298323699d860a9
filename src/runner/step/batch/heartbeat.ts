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
}

/** Too short, and a launcher on a node that is busy to the last CPU counts as dead; too long, and its jobs wait. */
const ASK_MS = 15_000;
const UNANSWERED = 3;
export const SILENT_SECONDS = (ASK_MS * UNANSWERED) / 1000;

export function startHeartbeat({ ask, onSilent }: HeartbeatOptions): Heartbeat {
  let unanswered = 0;
  let timer: Timer;
  const beat = () => {
    if (unanswered === UNANSWERED) return onSilent();
    unanswered += 1;
    ask();
    timer = after(ASK_MS, beat);
  };
  timer = after(ASK_MS, beat);
  return {
    heard() {
      unanswered = 0;
    },
    close: () => timer.cancel(),
  };
}
