import { after, type Timer } from '../../client/long-timers.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import type { ReportedCounts } from './leaving.ts';
import type { Prospect } from './prospect.ts';

export interface LookAheadOptions {
  /**
   * What the runner does about jobs that it was not handed; never rejects. `isLong`: it has been without a job for
   * `noWorkMs`.
   */
  readonly prospect: ((counts: ReportedCounts, isLong: boolean) => Promise<Prospect>) | undefined;
  /** How long the runner is without a job before it asks whether any is left for it; undefined: it does not ask. */
  readonly noWorkMs: number | undefined;
  /** Since a job was last assigned or ended. */
  readonly idleForMs: () => number;
  /** The time for which it waits for other runners; 0: it waits anyway. */
  readonly waitMs: number;
  /** Whether the runner is still idle when the answer is there. */
  readonly isIdle: () => boolean;
  /** Called with a message for the user, once for the same words. */
  readonly onReport: ((words: string) => void) | undefined;
  readonly onLeave: (leave: Extract<Prospect, { kind: 'leave' }>) => void;
}

/** Between two questions about ready jobs that the runner was not handed. */
const REST_MS = 1_000;

/** Asks the server early what the idle time would only show at its end, and leaves where waiting is useless. */
export function createLookAhead(options: LookAheadOptions) {
  const { prospect, noWorkMs, idleForMs, waitMs, isIdle, onReport, onLeave } = options;
  let timer: Timer | undefined;
  let isAsking = false;
  /** As they are now, which may be later than those that were asked about. */
  let latest: ReportedCounts | undefined;
  let askedAt = -Infinity;
  /** What was asked last: without a change the answer is the same. */
  let asked = '';
  let reported = '';

  /** How long the question waits; undefined if there is none. */
  const delayMs = (counts: ReportedCounts): number | undefined => {
    const sinceAskedMs = performance.now() - askedAt;
    if (isAlone(counts)) return REST_MS - sinceAskedMs;
    if (noWorkMs === undefined || asked === keyOf(counts)) return undefined;
    return noWorkMs - Math.min(sinceAskedMs, idleForMs());
  };

  const consider = (counts: ReportedCounts) => {
    timer?.cancel();
    latest = counts;
    const waitsMs = prospect === undefined || isAsking ? undefined : delayMs(counts);
    if (waitsMs !== undefined) timer = after(Math.max(0, waitsMs), () => void ask(counts));
  };

  const ask = async (counts: ReportedCounts) => {
    const isLong = noWorkMs !== undefined && idleForMs() >= noWorkMs;
    isAsking = true;
    const found = (await prospect?.(counts, isLong)) ?? { kind: 'wait' };
    isAsking = false;
    askedAt = performance.now();
    asked = isLong ? keyOf(counts) : '';
    if (!isIdle()) return;
    if (found.kind === 'leave') onLeave(found);
    else if (found.kind === 'report' && found.words !== reported) {
      reported = found.words;
      onReport?.(`${found.words}${waitMs > 0 ? `; waiting ${waitMs / 1000} s for other runners` : ''}`);
    }
    if (found.kind !== 'leave' && latest !== counts && latest !== undefined) consider(latest);
  };

  return {
    /** The runner is idle, and the server counts these jobs. */
    consider,
    /** The runner is not idle any more. */
    cancel() {
      latest = undefined;
      timer?.cancel();
    },
  };
}

/** Jobs are ready that this runner was not handed, and nothing runs that could make others ready. */
const isAlone = (counts: ReportedCounts) => counts.ready > 0 && countOf(counts, HELD) === 0;

const keyOf = (counts: ReportedCounts) => JSON.stringify(counts);
