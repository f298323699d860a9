import { after, type Timer } from '../client/long-timers.ts';
import type { ExchangeReply } from '../core/contract/exchange.ts';
import { nextPoll } from './pace.ts';

type Counts = ExchangeReply['jobs_by_status'];

/** Is any job open that this runner could take, now or later? */
export type HasOpenJobs = (counts: Counts) => Promise<boolean>;

/**
 * Least time between two looks for open jobs. The server is asked at every change of the workflow: too short, and a thousand
 * jobs a second of other runners cost it as many looks; too long, and the runner leaves that much later.
 */
const LOOK_MS = 1_000;

export interface RestOptions {
  readonly baseMs: number;
  readonly capMs: number;
  /** Leaves after so long without a job; 0 never. */
  readonly idleMs: number;
  /** Leaves when nothing is ready or runs for so long; at once on a server that releases jobs with the end of the last. */
  readonly stuckMs: number;
  /** Stays also when the workflow is complete. */
  readonly staysAlways: boolean;
  /** With `--persistent`: the runner stays while this says so. */
  readonly hasOpenJobs: HasOpenJobs | undefined;
  /** Jobs that it holds. */
  readonly held: () => number;
  readonly hasChildren: () => boolean;
  /** When a job was last handed out or ended, on the monotonic clock. */
  readonly lastProgress: () => number;
  /** Looks for work, and for what became of the workflow. */
  readonly onPoll: () => void;
  /** There is no reason to stay: the kind and the reason. */
  readonly onLeave: (ending: 'idle' | 'stuck', reason: string) => void;
}

/** What a runner does while it has nothing to do: it looks for work now and then, and leaves when there is no sense in staying. */
export interface Rest {
  /** Looks at what the server said. */
  consider(reply: ExchangeReply): void;
  close(): void;
}

export function createRest(options: RestOptions): Rest {
  const { baseMs, capMs, idleMs, stuckMs, staysAlways, held, hasChildren, lastProgress, onPoll, onLeave } = options;
  const { hasOpenJobs: openJobs } = options;
  let pollMs = baseMs;
  let pollTimer: Timer | undefined;
  let idleTimer: Timer | undefined;
  /** What the server said last while this runner was idle. */
  let latest: Counts | undefined;
  let lookedAt = -Infinity;
  let isLooking = false;
  let isClosed = false;

  const poll = () => {
    const madeProgress = performance.now() - lastProgress() < pollMs;
    pollMs = nextPoll({ baseMs, capMs, lastMs: pollMs, madeProgress, hasChildren: hasChildren() });
    pollTimer = after(pollMs, () => {
      onPoll();
      poll();
    });
  };
  poll();
  const left = (ms: number) => ms - (performance.now() - lastProgress());

  /** Leaves where no job can start any more, or in a while where none came for this runner. */
  const leaveIfIdle = ({ ready, pending, running, blocked, uninitialized, pending_failed: undecided }: Counts) => {
    if (ready + pending + running === 0) {
      const reason = stuckReason(blocked, undecided, uninitialized);
      if (stuckMs === 0) onLeave('stuck', reason);
      else idleTimer = after(left(stuckMs), () => void (held() === 0 && onLeave('stuck', reason)));
      return;
    }
    if (idleMs === 0) return;
    idleTimer = after(left(idleMs), () => {
      if (held() === 0)
        onLeave(
          'idle',
          `no job for ${idleMs / 1000} s that this runner could take: ${ready} ready, ${running + pending} elsewhere`,
        );
    });
  };

  const lookForOpenJobs = (hasOpenJobs: HasOpenJobs) => {
    if (isLooking) return;
    const restMs = lookedAt + LOOK_MS - performance.now();
    if (restMs > 0) {
      idleTimer = after(restMs, () => lookForOpenJobs(hasOpenJobs));
      return;
    }
    const counts = latest as Counts;
    isLooking = true;
    // A server that does not answer tells nothing of jobs: the runner stays.
    void hasOpenJobs(counts)
      .catch(() => true)
      .then((isOpen) => {
        isLooking = false;
        lookedAt = performance.now();
        if (isClosed || held() > 0 || latest === undefined) return;
        if (latest !== counts) lookForOpenJobs(hasOpenJobs);
        else if (!isOpen) leaveIfIdle(counts);
      });
  };

  return {
    consider({ jobs_by_status: counts, is_complete: isComplete }) {
      idleTimer?.cancel();
      const isIdle = held() === 0 && !isComplete && !staysAlways;
      latest = isIdle ? counts : undefined;
      if (!isIdle) return;
      if (openJobs === undefined) leaveIfIdle(counts);
      else lookForOpenJobs(openJobs);
    },
    close() {
      isClosed = true;
      pollTimer?.cancel();
      idleTimer?.cancel();
    },
  };
}

function stuckReason(blocked: number, undecided: number, uninitialized: number): string {
  const parts = [
    blocked > 0 ? `${blocked} blocked` : '',
    undecided > 0 ? `${undecided} waiting for a decision` : '',
    uninitialized > 0 ? `${uninitialized} uninitialized` : '',
  ].filter((part) => part !== '');
  return `no job that is left can start, and none runs that could change that: ${parts.join(', ')}`;
}
