import type { ApiEvent, Traffic } from '../../core/contract/admin.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/** An answered request, for the counters. */
interface AnsweredRequest {
  readonly status: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Counters of the last hour in memory, and the clients of the traffic stream. */
export interface TrafficLog {
  count(answered: AnsweredRequest): void;
  stats(windowSeconds?: number, intervalSeconds?: number): Traffic;
  /** Since the server started. */
  totals(): Readonly<Record<Counted, number>>;
  /** Whether clients are connected, and whether they want bodies. Only then are requests inspected further. */
  readonly listening: 'none' | 'to heads' | 'to bodies';
  report(event: ApiEvent): void;
  /** The returned function ends it. */
  listen(withBodies: boolean, listener: (event: ApiEvent) => void): () => void;
}

const WINDOW_SECONDS = 3_600;
const COLUMNS = ['requests', 'in', 'out', '2xx', '4xx', '5xx', 'other'] as const;
type Counted = (typeof COLUMNS)[number];
const WIDTH = COLUMNS.length;

const columnOf = (status: number) => {
  if (status >= 200 && status < 300) return 3;
  if (status >= 400 && status < 500) return 4;
  return status >= 500 ? 5 : 6;
};

export function createTrafficLog(now: () => number): TrafficLog {
  const listeners = new Map<(event: ApiEvent) => void, boolean>();
  // A row of counters for each second of an hour; a row is cleared when its second recurs.
  const counters = new Float64Array(WINDOW_SECONDS * WIDTH);
  const seconds = new Float64Array(WINDOW_SECONDS).fill(-1);
  const totals = new Float64Array(WIDTH);

  return {
    count({ status, bytesIn, bytesOut }) {
      const second = Math.floor(now() / 1000);
      const row = second % WINDOW_SECONDS;
      const at = row * WIDTH;
      if (seconds[row] !== second) {
        seconds[row] = second;
        counters.fill(0, at, at + WIDTH);
      }
      const add = (column: number, amount: number) => {
        counters[at + column] = (counters[at + column] as number) + amount;
        totals[column] = (totals[column] as number) + amount;
      };
      add(0, 1);
      add(1, bytesIn);
      add(2, bytesOut);
      add(columnOf(status), 1);
    },

    stats(windowSeconds = WINDOW_SECONDS, intervalSeconds = 60) {
      for (const [field, found] of Object.entries({
        window_seconds: windowSeconds,
        interval_seconds: intervalSeconds,
      })) {
        if (found < 1)
          throw new Refusal('PARAMETER_REFUSED', `${field}: expected 1 or more, found ${found}`, { field });
      }
      const window = Math.min(windowSeconds, WINDOW_SECONDS);
      const interval = Math.min(intervalSeconds, window);
      const current = Math.floor(now() / 1000);
      const newest = Math.floor(current / interval);
      const buckets = Array.from({ length: Math.ceil(window / interval) }, (_, age) => {
        const start = (newest - age) * interval;
        const sums = new Float64Array(WIDTH);
        for (let second = start; second < start + interval && second <= current; second += 1) {
          const row = second % WINDOW_SECONDS;
          if (seconds[row] !== second) continue;
          for (let column = 0; column < WIDTH; column += 1)
            sums[column] = (sums[column] as number) + (counters[row * WIDTH + column] as number);
        }
        const [requests = 0, bytesIn = 0, bytesOut = 0, good = 0, refused = 0, failed = 0, other = 0] = sums;
        return {
          start_ms: start * 1000,
          request_count: requests,
          bytes_in: bytesIn,
          bytes_out: bytesOut,
          status_2xx: good,
          status_4xx: refused,
          status_5xx: failed,
          status_other: other,
        };
      });
      return { now_ms: now(), interval_seconds: interval, window_seconds: window, buckets };
    },

    totals: () =>
      Object.fromEntries(COLUMNS.map((name, column) => [name, totals[column] as number])) as Record<Counted, number>,

    get listening() {
      if (listeners.size === 0) return 'none';
      return [...listeners.values()].some(Boolean) ? 'to bodies' : 'to heads';
    },
    report(event) {
      const { request_body: _, response_body: __, ...head } = event;
      for (const [listener, withBodies] of listeners) listener(withBodies ? event : head);
    },
    listen(withBodies, listener) {
      listeners.set(listener, withBodies);
      return () => void listeners.delete(listener);
    },
  };
}
