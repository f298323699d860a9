import { after, type Timer } from '../../client/long-timers.ts';
import { nextPoll } from '../facts/pace.ts';

export interface PollingOptions {
  readonly baseMs: number;
  readonly capMs: number;
  readonly hasChildren: () => boolean;
  /** When a job was last assigned or ended, on the monotonic clock. */
  readonly lastProgress: () => number;
  /** Polls for jobs and for the state of the workflow. */
  readonly onPoll: () => void;
}

/** Polls now and then: often while jobs come and end, and ever more rarely without progress. */
export function startPolling({ baseMs, capMs, hasChildren, lastProgress, onPoll }: PollingOptions): { close(): void } {
  let pollMs = baseMs;
  let timer: Timer | undefined;
  const poll = () => {
    const madeProgress = performance.now() - lastProgress() < pollMs;
    pollMs = nextPoll({ baseMs, capMs, lastMs: pollMs, madeProgress, hasChildren: hasChildren() });
    timer = after(pollMs, () => {
      onPoll();
      poll();
    });
  };
  poll();
  return { close: () => timer?.cancel() };
}
