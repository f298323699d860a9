import { steadyNow } from './steady-clock.ts';

/**
 * Timers for delays that come from outside: options, fields of a workflow, times of the server.
 *
 * A timer of the platform takes at most 2^31 - 1 ms, 24.8 days; with a longer delay it fires at once. With an idle time
 * of a month runners exited at the first poll, and with a sample interval of a month they sampled a thousand times a
 * second.
 */
export interface Timer {
  cancel(): void;
  /** The program may exit before the timer fires. */
  unref(): Timer;
}

/** The longest delay that a timer of the platform takes. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls the function once after a delay of any length. */
export function after(delayMs: number, call: () => void): Timer {
  let leftMs = Math.max(0, delayMs);
  let isHeld = true;
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const stepMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= stepMs;
    timer = setTimeout(leftMs > 0 ? wait : call, stepMs);
    if (!isHeld) release(timer);
  };
  wait();
  return {
    cancel: () => clearTimeout(timer),
    unref() {
      isHeld = false;
      release(timer);
      return this;
    },
  };
}

/** Calls the function at a moment of `steadyNow`, however far away. */
export const atMoment = (atMs: number, call: () => void): Timer => after(atMs - steadyNow(), call);

/** Calls the function repeatedly at an interval of any length. */
export function repeatEvery(intervalMs: number, call: () => void): Timer {
  if (intervalMs <= LONGEST_TIMER_MS) {
    const timer = setInterval(call, intervalMs);
    return {
      cancel: () => clearInterval(timer),
      unref() {
        release(timer);
        return this;
      },
    };
  }
  let isHeld = true;
  let timer: Timer;
  const wait = () => {
    timer = after(intervalMs, () => {
      wait();
      call();
    });
    if (!isHeld) timer.unref();
  };
  wait();
  return {
    cancel: () => timer.cancel(),
    unref() {
      isHeld = false;
      timer.unref();
      return this;
    },
  };
}

/** Resolves after a delay of any length. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

/** A browser's timer is a number and does not keep a page open. */
function release(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
