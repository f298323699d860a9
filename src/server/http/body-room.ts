import { Refusal } from '../../core/contract/refusals.ts';

/**
 * The memory for the bodies of requests: all that arrive and are worked on share one budget, and those that are much larger
 * as values than as text are worked on one by one.
 *
 * Who finds no room waits with an unread connection. One body always fits, whatever its size.
 */
export interface BodyRoom {
  /** Resolves when there is room for so many bytes. Throws `BODIES_WAIT` after a while, or when the client is gone. */
  take(bytes: number, isGone: () => boolean): Promise<Held>;
}

export interface Held {
  /** Resolves when no other large body is worked on; returns at once for small ones. */
  alone(bytes: number): Promise<void>;
  release(): void;
}

const MEBIBYTE = 2 ** 20;
/** A hundred bodies at once then take less than 500 MiB of memory in all; a larger one is let in alone. */
const ALL_BYTES = 128 * MEBIBYTE;
/** A body may take 20 times as much memory as its text: `{}` is an object of 56 bytes. */
const ALONE_BYTES = MEBIBYTE;
const LOOK_MS = 500;
/** Shorter than the patience of clients, which repeat the request. */
const PATIENCE_MS = 60_000;

interface Waiting {
  readonly bytes: number;
  readonly sinceMs: number;
  readonly isGone: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Refusal) => void;
}

export function createBodyRoom({
  allBytes = ALL_BYTES,
  aloneBytes = ALONE_BYTES,
  patienceMs = PATIENCE_MS,
} = {}): BodyRoom {
  let used = 0;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const fits = (bytes: number) => used === 0 || used + bytes <= allBytes;
  const admit = () => {
    for (let first = waiting[0]; first !== undefined && fits(first.bytes); first = waiting[0]) {
      waiting.shift();
      used += first.bytes;
      first.resolve();
    }
    if (waiting.length === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  const look = () => {
    const nowMs = performance.now();
    const isOver = ({ sinceMs, isGone }: Waiting) => nowMs - sinceMs > patienceMs || isGone();
    const over = waiting.filter(isOver);
    waiting = waiting.filter((each) => !isOver(each));
    for (const { reject, sinceMs } of over)
      reject(
        new Refusal(
          'BODIES_WAIT',
          `no memory for this body became free in ${((nowMs - sinceMs) / 1000).toFixed(0)} s: other large requests are worked on`,
        ),
      );
    admit();
  };

  const held = (bytes: number): Held => {
    let leave: (() => void) | undefined;
    let isReleased = false;
    return {
      async alone(size) {
        if (size <= aloneBytes) return;
        const before = last;
        const { promise, resolve } = Promise.withResolvers<void>();
        leave = resolve;
        last = before.then(() => promise);
        await before;
      },
      release() {
        if (isReleased) return;
        isReleased = true;
        used -= bytes;
        leave?.();
        admit();
      },
    };
  };

  return {
    async take(bytes, isGone) {
      if (waiting.length === 0 && fits(bytes)) used += bytes;
      else
        await new Promise<void>((resolve, reject) => {
          waiting.push({ bytes, sinceMs: performance.now(), isGone, resolve, reject });
          timer ??= setInterval(look, Math.min(LOOK_MS, patienceMs)).unref();
        });
      return held(bytes);
    },
  };
}
