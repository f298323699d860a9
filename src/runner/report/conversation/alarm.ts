import { LONGEST_TIMER_MS } from '../../../client/long-timers.ts';

/** One timer for the earliest of several moments. */
export interface Alarm {
  /** It goes off at this moment (monotonic milliseconds), if not earlier; Infinity means never. */
  set(atMs: number): void;
  close(): void;
}

/** `onDue` may be called early, which must do no harm: it sets the alarm again. */
export function createAlarm(onDue: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = Infinity;
  const goOff = () => {
    dueAtMs = Infinity;
    onDue();
  };
  return {
    set(atMs) {
      if (atMs >= dueAtMs) return;
      clearTimeout(timer);
      dueAtMs = atMs;
      timer = setTimeout(goOff, Math.min(LONGEST_TIMER_MS, Math.max(0, atMs - performance.now())));
    },
    close: () => clearTimeout(timer),
  };
}
