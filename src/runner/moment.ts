/** The longest that a timer of the runtime can wait; beyond, it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls at a moment (Unix milliseconds), however far away. */
export function atMoment(atMs: number, call: () => void): { cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    const left = atMs - Date.now();
    timer = left > LONGEST_TIMER_MS ? setTimeout(wait, LONGEST_TIMER_MS) : setTimeout(call, Math.max(0, left));
  };
  wait();
  return { cancel: () => clearTimeout(timer) };
}
