import { after, type Timer } from '../../client/long-timers.ts';
import type { ExchangeReply } from '../../core/contract/exchange.ts';
import { nextPoll } from '../report/pace.ts';
import type { Prospect } from './prospect.ts';

type Counts = ExchangeReply['jobs_by_status'];

/** Whether a job is open that this runner could take, now or later. */
export type HasOpenJobs = (counts: Counts) => Promise<boolean>;

/**
 * The minimum time between two checks for open jobs. The workflow may change a thousand times a second: too short, and
 * each change costs the server a check; too long, and the runner exits that much later.
 */
const LOOK_MS = 1_000;

export interface IdlePolicyOptions {
  readonly baseMs: number;
  readonly capMs: number;
  /** Exits after this long without a job; 0 means never. */
  readonly idleMs: number;
  /**
   * Exits when no job is ready or running for this long; at once with a server that releases jobs together with the end
   * of the last dependency.
   */
  readonly stuckMs: number;
  /** Stays also when the workflow is complete. */
  readonly staysAlways: boolean;
  /** With `--persistent`: the runner stays while this returns true. */
  readonly hasOpenJobs: HasOpenJobs | undefined;
  /** What the runner does about ready jobs of which it was handed none; never rejects. */
  readonly prospect?: ((counts: Counts) => Promise<Prospect>) | undefined;
  /** Why the runner takes no job any more, whatever is ready; undefined while it takes some. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** Called with a message for the user. */
  readonly onTell?: (words: string) => void;
  /** The number of jobs that it holds. */
  readonly held: () => number;
  readonly hasChildren: () => boolean;
  /** When a job was last assigned or ended, on the monotonic clock. */
  readonly lastProgress: () => number;
  /** Polls for jobs and for the state of the workflow. */
  readonly onPoll: () => void;
  /** The runner has no reason to stay: the kind and the reason. */
  readonly onLeave: (ending: 'idle' | 'stuck', reason: string) => void;
}

/** The idle policy of a runner: it polls for jobs now and then, and exits when waiting is useless. */
export interface IdlePolicy {
  /** Checks the counts in a reply of the server. */
  consider(reply: ExchangeReply): void;
  close(): void;
}

export function createIdlePolicy(options: IdlePolicyOptions): IdlePolicy {
  const { baseMs, capMs, idleMs, stuckMs, staysAlways, held, hasChildren, lastProgress, onPoll, onLeave } = options;
  const { hasOpenJobs: openJobs, prospect, refusal, onTell } = options;
  let pollMs = baseMs;
  let pollTimer: Timer | undefined;
  let idleTimer: Timer | undefined;
  /** The last counts that the server sent while this runner was idle. */
  let latest: Counts | undefined;
  let lookedAt = -Infinity;
  let isLooking = false;
  let isClosed = false;
  let isAsking = false;
  let askedAt = -Infinity;
  let told = '';

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

  /** Exits when no job can start any more, or when no job came for this runner for a while. */
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
    // Without a reply nothing is known about jobs: the runner stays.
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

  /** Says at once what the idle time would only show at its end, and does not wait for that where it cannot help. */
  const lookAhead = async (counts: Counts): Promise<void> => {
    if (prospect === undefined || isAsking || performance.now() - askedAt < LOOK_MS) return;
    isAsking = true;
    const found = await prospect(counts);
    isAsking = false;
    askedAt = performance.now();
    if (isClosed || held() > 0 || latest === undefined || found.kind === 'wait') return;
    if (found.kind === 'leave')
      onLeave('idle', 'this runner can take none of the jobs that are ready, and no other runner is there');
    else if (found.words !== told) {
      told = found.words;
      onTell?.(
        `${found.words}${openJobs === undefined && idleMs > 0 ? `; waiting ${idleMs / 1000} s for other runners` : ''}`,
      );
    }
  };

  return {
    consider({ jobs_by_status: counts, is_complete: isComplete, is_releasing: isReleasing }) {
      idleTimer?.cancel();
      // While jobs are released the counts prove nothing: blocked jobs may be ready a moment later.
      const isIdle = held() === 0 && !isComplete && !staysAlways && isReleasing !== true;
      latest = isIdle ? counts : undefined;
      if (!isIdle) return;
      const reason = openJobs === undefined ? refusal?.() : undefined;
      if (reason !== undefined) {
        onLeave('idle', reason);
        return;
      }
      if (counts.ready > 0 && counts.running + counts.pending === 0) void lookAhead(counts);
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
  return `no job that is left can start, and no running job can change that: ${parts.join(', ')}`;
}
