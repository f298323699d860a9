import type { Counts } from './leaving.ts';
import type { Prospect } from './prospect.ts';

export interface LookAheadOptions {
  /** What the runner does about ready jobs of which it was handed none; never rejects. */
  readonly prospect: ((counts: Counts) => Promise<Prospect>) | undefined;
  /** The minimum time between two questions. */
  readonly restMs: number;
  /** The time for which it waits for other runners; 0: it waits anyway. */
  readonly waitMs: number;
  /** Whether the runner is still idle when the answer is there. */
  readonly isIdle: () => boolean;
  /** Called with a message for the user, once for the same words. */
  readonly onTell: ((words: string) => void) | undefined;
  readonly onLeave: (reason: string) => void;
}

/** Says at once what the idle time would only show at its end, and does not wait for that where it cannot help. */
export function createLookAhead(options: LookAheadOptions): (counts: Counts) => Promise<void> {
  const { prospect, restMs, waitMs, isIdle, onTell, onLeave } = options;
  let isAsking = false;
  let askedAt = -Infinity;
  let told = '';
  return async (counts) => {
    if (prospect === undefined || isAsking || performance.now() - askedAt < restMs) return;
    isAsking = true;
    const found = await prospect(counts);
    isAsking = false;
    askedAt = performance.now();
    if (!isIdle() || found.kind === 'wait') return;
    if (found.kind === 'leave')
      onLeave('this runner can take none of the jobs that are ready, and no other runner is there');
    else if (found.words !== told) {
      told = found.words;
      onTell?.(`${found.words}${waitMs > 0 ? `; waiting ${waitMs / 1000} s for other runners` : ''}`);
    }
  };
}
