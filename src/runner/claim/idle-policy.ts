import { after, type Timer } from '../../client/long-timers.ts';
import type { ExchangeReply } from '../../core/contract/exchange.ts';
import type { LimitInUse } from '../../core/contract/waiting-limit.ts';
import { limitWords } from '../../core/lifecycle/placement/waiting-limit.ts';
import { type ReportedCounts, type Ending, leavingOf, type IdleRules } from './leaving.ts';
import { createLookAhead, type LookAheadOptions } from './look-ahead.ts';
import { nextPoll } from '../facts/pace.ts';

/** Whether a job is open that this runner could take, now or later. */
export type HasOpenJobs = () => Promise<boolean>;

/**
 * The minimum time between two checks for open jobs. The workflow may change a thousand times a second: too short, and
 * each change costs the server a check; too long, and the runner exits that much later.
 */
const LOOK_MS = 1_000;

export interface IdlePolicyOptions extends IdleRules, PollingOptions {
  /** Stays also when the workflow is complete. */
  readonly staysAlways: boolean;
  /** With `--persistent`: the runner stays while this returns true. */
  readonly hasOpenJobs: HasOpenJobs | undefined;
  readonly prospect?: LookAheadOptions['prospect'];
  readonly noWorkMs?: LookAheadOptions['noWorkMs'];
  /** Why the runner takes no job any more, whatever is ready; undefined while it takes some. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** It stays while jobs wait for a limit that others hold: in no allocation, which would cost its nodes meanwhile. */
  readonly staysForLimits?: boolean;
  /** Called with a message for the user. */
  readonly onReport?: (words: string) => void;
  /** The number of jobs that it holds. */
  readonly held: () => number;
  /** The runner has no reason to stay. */
  readonly onLeave: (left: Leave) => void;
}

export interface Leave {
  readonly ending: Ending;
  readonly reason: string;
  /** No action that is not due can bring it work. */
  readonly isProven: boolean;
}

export type IdlePolicy = ReturnType<typeof createIdlePolicy>;

/** Jobs of one limit follow each other with a pause of milliseconds: that is not worth a line. */
const SAID_MS = 1_000;

/** The idle policy of a runner: it polls for jobs now and then, and exits when waiting is useless. */
export function createIdlePolicy(options: IdlePolicyOptions) {
  const { idleMs, staysAlways, held, lastProgress, onLeave, hasOpenJobs: openJobs, refusal } = options;
  let idleTimer: Timer | undefined;
  /** The last counts that the server sent while this runner was idle. */
  let latest: ReportedCounts | undefined;
  let lookedAt = -Infinity;
  let isLooking = false;
  let isClosed = false;

  let reported = '';
  const reportLimits = (limits: readonly LimitInUse[]) => {
    const words = `ready jobs wait for ${limits.map(limitWords).join(', ')}; the runner stays until there is room`;
    if (words !== reported) options.onReport?.(words);
    reported = words;
  };

  const polling = startPolling(options);
  const isIdle = () => !isClosed && held() === 0 && latest !== undefined;
  const lookAhead = createLookAhead({
    prospect: options.prospect,
    noWorkMs: options.noWorkMs,
    idleForMs: () => performance.now() - lastProgress(),
    waitMs: openJobs === undefined ? idleMs : 0,
    isIdle,
    onReport: options.onReport,
    onLeave: ({ reason, isProven }) => onLeave({ ending: 'idle', reason, isProven }),
  });

  const leaveIfIdle = (counts: ReportedCounts) => {
    const leaving = leavingOf(counts, options);
    if (leaving === undefined) return;
    const { ending, reason, afterMs } = leaving;
    // If no job can start any more, no action can be triggered either.
    const leave = { ending, reason, isProven: ending === 'stuck' };
    if (afterMs === 'at once') {
      onLeave(leave);
      return;
    }
    const leftMs = afterMs - (performance.now() - lastProgress());
    idleTimer = after(leftMs, () => void (held() === 0 && onLeave(leave)));
  };

  const lookForOpenJobs = (hasOpenJobs: HasOpenJobs) => {
    if (isLooking) return;
    const restMs = lookedAt + LOOK_MS - performance.now();
    if (restMs > 0) {
      idleTimer = after(restMs, () => lookForOpenJobs(hasOpenJobs));
      return;
    }
    const counts = latest as ReportedCounts;
    isLooking = true;
    // Without a reply nothing is known about jobs: the runner stays.
    void hasOpenJobs()
      .catch(() => true)
      .then((isOpen) => {
        isLooking = false;
        lookedAt = performance.now();
        if (!isIdle()) return;
        if (latest !== counts) lookForOpenJobs(hasOpenJobs);
        else if (!isOpen) leaveIfIdle(counts);
      });
  };

  return {
    /** Checks the counts in a reply of the server. */
    consider(reply: ExchangeReply) {
      const { is_complete: isComplete, is_releasing: isReleasing } = reply;
      const counts = withinReach(reply);
      idleTimer?.cancel();
      // While jobs are released the counts prove nothing: blocked jobs may be ready a moment later.
      const limits = reply.waiting_limits ?? [];
      const waits = held() === 0 && limits.length > 0 && options.staysForLimits === true;
      if (waits) idleTimer = after(SAID_MS, () => void (isClosed || held() > 0 || reportLimits(limits)));
      const mayLeave = !waits && held() === 0 && !isComplete && !staysAlways && isReleasing !== true;
      latest = mayLeave ? counts : undefined;
      if (!mayLeave) {
        lookAhead.cancel();
        return;
      }
      const reason = openJobs === undefined ? refusal?.() : undefined;
      if (reason !== undefined) {
        onLeave({ ending: 'idle', reason, isProven: false });
        return;
      }
      lookAhead.consider(counts);
      if (openJobs === undefined) leaveIfIdle(counts);
      else lookForOpenJobs(openJobs);
    },
    close() {
      isClosed = true;
      polling.close();
      lookAhead.cancel();
      idleTimer?.cancel();
    },
  };
}

/** The counts of a reply, without ready jobs that this runner leaves alone because none of its choice is ready. */
const withinReach = ({
  jobs_by_status: counts,
  choice_state: choice,
}: Pick<ExchangeReply, 'jobs_by_status' | 'choice_state'>) => (choice === 'waiting' ? { ...counts, ready: 0 } : counts);

interface PollingOptions {
  readonly baseMs: number;
  readonly capMs: number;
  readonly hasChildren: () => boolean;
  /** When a job was last assigned or ended, on the monotonic clock. */
  readonly lastProgress: () => number;
  /** Polls for jobs and for the state of the workflow. */
  readonly onPoll: () => void;
}

/** Polls now and then: often while jobs come and end, and ever more rarely without progress. */
function startPolling({ baseMs, capMs, hasChildren, lastProgress, onPoll }: PollingOptions): { close(): void } {
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
