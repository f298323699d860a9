import type { ExchangeReply } from '../core/contract/exchange.ts';
import { nextPoll } from './pace.ts';

export interface RestOptions {
  readonly baseMs: number;
  readonly capMs: number;
  /** Leaves after so long without a job; 0 never. */
  readonly idleMs: number;
  /** Leaves when nothing is ready or runs for so long; at once on a server that releases jobs with the end of the last. */
  readonly stuckMs: number;
  /** Stays as long as jobs are left. */
  readonly persistent: boolean;
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
  const { baseMs, capMs, idleMs, stuckMs, persistent, held, hasChildren, lastProgress, onPoll, onLeave } = options;
  let pollMs = baseMs;
  let pollTimer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const poll = () => {
    const madeProgress = performance.now() - lastProgress() < pollMs;
    pollMs = nextPoll({ baseMs, capMs, lastMs: pollMs, madeProgress, hasChildren: hasChildren() });
    pollTimer = setTimeout(() => {
      onPoll();
      poll();
    }, pollMs);
  };
  poll();
  const left = (ms: number) => Math.max(0, ms - (performance.now() - lastProgress()));

  return {
    consider({ jobs_by_status: counts, is_complete: isComplete }) {
      clearTimeout(idleTimer);
      if (held() > 0 || isComplete || persistent) return;
      const { ready, pending, running, blocked, uninitialized, pending_failed: undecided } = counts;
      if (ready + pending + running === 0) {
        const reason = stuckReason(blocked, undecided, uninitialized);
        if (stuckMs === 0) onLeave('stuck', reason);
        else idleTimer = setTimeout(() => held() === 0 && onLeave('stuck', reason), left(stuckMs));
        return;
      }
      if (idleMs === 0) return;
      idleTimer = setTimeout(() => {
        if (held() === 0)
          onLeave(
            'idle',
            `no job for ${idleMs / 1000} s that this runner could take: ${ready} ready, ${running + pending} elsewhere`,
          );
      }, left(idleMs));
    },
    close() {
      clearTimeout(pollTimer);
      clearTimeout(idleTimer);
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
