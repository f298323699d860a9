/** Work that is done one piece after the other. */
export interface Queue {
  readonly isBusy: boolean;
  /** Resolves when all work so far is done. */
  readonly last: Promise<void>;
  /** Adds work, which never rejects; resolves when it is done. */
  add(work: () => Promise<void>): Promise<void>;
}

/** `onDone` is called when no work is left. */
export function createActionQueue(onDone: () => void): Queue {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    get isBusy() {
      return waiting > 0;
    },
    get last() {
      return last;
    },
    add(work) {
      waiting += 1;
      last = last.then(work).finally(() => {
        waiting -= 1;
        if (waiting === 0) onDone();
      });
      return last;
    },
  };
}
