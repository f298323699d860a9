import { Refusal } from '../../core/contract/refusals.ts';

/**
 * The memory for the bodies of requests: what is allocated for all of them shares one budget, and those that are much larger
 * as values than as text are worked on one by one.
 *
 * When it is used up, bodies wait with paused connections. The oldest of them continues alone, whatever its size, and so one
 * always ends; if it arrives slowly while others wait, it is refused. Bodies up to `freeBytes` never wait.
 */
export interface BodyRoom {
  /** A body that begins to arrive. `refuse` ends it at any time before `whole`. */
  enter(refuse: (refusal: Refusal) => void): Held;
}

export interface Held {
  /**
   * A part arrived, for which memory has to be allocated. Returns false if the body has to wait: `resume` is called when it
   * may allocate this memory.
   */
  take(part: { readonly bytes: number; readonly allocatedBytes: number }, resume: () => void): boolean;
  /** All of it has arrived. */
  whole(): void;
  /** Resolves when no other large body is worked on; returns at once for small ones. */
  alone(bytes: number): Promise<void>;
  release(): void;
}

const MEBIBYTE = 2 ** 20;
const usual = {
  /** With the largest body beside it, and its values, a server stays below 500 MiB. */
  allBytes: 96 * MEBIBYTE,
  /** The exchanges of runners are smaller. */
  freeBytes: 256 * 1024,
  /** A body may take 20 times as much memory as its text: `{}` is an object of 56 bytes. */
  aloneBytes: MEBIBYTE,
  /** Shorter than the patience of clients, which repeat the request. */
  patienceMs: 60_000,
  /** The body for which others wait must bring so much in this time: a tenth of a bad connection. */
  dueBytes: MEBIBYTE,
  dueMs: 10_000,
};
const LOOK_MS = 500;

interface Entry {
  /** Allocated. */
  bytes: number;
  arrivedBytes: number;
  isWhole: boolean;
  readonly refuse: (refusal: Refusal) => void;
  waiting: { readonly sinceMs: number; readonly bytes: number; readonly resume: () => void } | undefined;
  /** Until when it must have so many bytes. */
  due: { atMs: number; bytes: number } | undefined;
}

export function createBodyRoom(limits: Partial<typeof usual> = {}): BodyRoom {
  const { allBytes, freeBytes, aloneBytes, patienceMs, dueBytes, dueMs } = { ...usual, ...limits };
  /** In the order in which they began to count. */
  const open = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  let used = 0;
  /** The part of it that is worked on. */
  let usedWhole = 0;

  const firstArriving = () => {
    for (const each of open) if (!each.isWhole) return each;
    return undefined;
  };
  /** Only the oldest body may exceed the budget, and not beside another one that did. */
  const fits = (entry: Entry, bytes: number) =>
    bytes === 0 || used + bytes <= allBytes || (usedWhole <= allBytes && firstArriving() === entry);
  const grant = (entry: Entry, bytes: number) => {
    entry.bytes += bytes;
    if (open.has(entry)) used += bytes;
  };

  const admit = () => {
    for (const entry of open) {
      const { waiting } = entry;
      if (waiting === undefined || !fits(entry, waiting.bytes)) continue;
      grant(entry, waiting.bytes);
      entry.waiting = undefined;
      entry.due = undefined;
      waiting.resume();
    }
  };
  const leave = (entry: Entry) => {
    open.delete(entry);
    used -= entry.bytes;
    if (entry.isWhole) usedWhole -= entry.bytes;
    admit();
  };
  const look = () => {
    if (![...open].some(({ waiting }) => waiting !== undefined)) {
      clearInterval(timer);
      timer = undefined;
      for (const entry of open) entry.due = undefined;
      return;
    }
    const nowMs = performance.now();
    for (const entry of open) {
      const { waiting, isWhole, arrivedBytes: bytes } = entry;
      if (isWhole) continue;
      if (waiting !== undefined) {
        if (nowMs - waiting.sinceMs <= patienceMs) continue;
        const seconds = ((nowMs - waiting.sinceMs) / 1000).toFixed(0);
        const words = `no memory for this body became free in ${seconds} s: other large requests are worked on`;
        entry.refuse(new Refusal('BODIES_WAIT', words));
        continue;
      }
      entry.due ??= { atMs: nowMs + dueMs, bytes: bytes + dueBytes };
      if (nowMs < entry.due.atMs) continue;
      if (bytes >= entry.due.bytes) entry.due = { atMs: nowMs + dueMs, bytes: bytes + dueBytes };
      else {
        const words = `less than ${dueBytes} bytes of the body arrived in ${dueMs / 1000} s, and other requests wait for its memory`;
        entry.refuse(new Refusal('BODY_TOO_SLOW', words, { bytes }));
      }
    }
  };

  return {
    enter(refuse) {
      const entry: Entry = { bytes: 0, arrivedBytes: 0, isWhole: false, refuse, waiting: undefined, due: undefined };
      let end: (() => void) | undefined;
      return {
        take({ bytes, allocatedBytes }, resume) {
          entry.arrivedBytes += bytes;
          if (entry.bytes + allocatedBytes > freeBytes && !open.has(entry)) {
            open.add(entry);
            used += entry.bytes;
          }
          if (!open.has(entry) || fits(entry, allocatedBytes)) {
            grant(entry, allocatedBytes);
            return true;
          }
          entry.waiting = { sinceMs: performance.now(), bytes: allocatedBytes, resume };
          timer ??= setInterval(look, Math.min(LOOK_MS, patienceMs, dueMs)).unref();
          return false;
        },
        whole() {
          entry.isWhole = true;
          if (!open.has(entry)) return;
          usedWhole += entry.bytes;
          admit();
        },
        async alone(size) {
          if (size <= aloneBytes) return;
          const before = last;
          const { promise, resolve } = Promise.withResolvers<void>();
          end = resolve;
          last = before.then(() => promise);
          await before;
        },
        release() {
          end?.();
          if (open.has(entry)) leave(entry);
        },
      };
    },
  };
}
