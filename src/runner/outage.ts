import type { Log } from './log.ts';
import type { Meaning } from './meaning.ts';
import { atMoment } from './moment.ts';

export interface OutageOptions {
  /** How long the server may be away before the runner takes it for an outage. */
  readonly patienceMs: number;
  /** Between two looks for the server from then on. */
  readonly pingMs: number;
  readonly log: Log;
  /** Patience is at its end, or the server is not the one that it was; told again when the first becomes the second. */
  readonly onOffline: (meaning: Meaning) => void;
  /** The server answers again, after `onOffline`. */
  readonly onOnline: () => void;
}

/** Whether the server is there, and when to look for it next. */
export interface Outage {
  /** It did not answer, or not in a way that is of use, since it last did. */
  readonly isAway: boolean;
  /** It is away for longer than patience lasts. */
  readonly isOffline: boolean;
  /** What the last failure meant. */
  readonly meaning: Meaning;
  /** There was no answer of use: milliseconds until the next attempt. */
  failed(meaning: Meaning): number;
  answered(): void;
  close(): void;
}

/** Pauses between attempts as long as patience lasts. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 5_000;

export function createOutage({ patienceMs, pingMs, log, onOffline, onOnline }: OutageOptions): Outage {
  let awaySince: number | undefined;
  let offline = false;
  let retryMs = FIRST_RETRY_MS;
  let lapse: { cancel(): void } | undefined;
  let meaning: Meaning = { kind: 'away', reason: '' };
  let told: Meaning['kind'] | undefined;

  const goOffline = () => {
    lapse?.cancel();
    offline = true;
    if (told === 'behind' || told === meaning.kind) return;
    told = meaning.kind;
    onOffline(meaning);
  };

  return {
    get isAway() {
      return awaySince !== undefined;
    },
    get isOffline() {
      return offline;
    },
    get meaning() {
      return meaning;
    },
    failed(failure) {
      meaning = failure;
      if (awaySince === undefined) {
        awaySince = performance.now();
        if (meaning.kind === 'away') {
          log.write('warn', 'Server does not answer; jobs go on', { reason: meaning.reason });
          if (patienceMs > 0) lapse = atMoment(Date.now() + patienceMs, goOffline);
        }
      }
      // Out of another database nothing may be claimed, however short the wait for the right one.
      if (meaning.kind === 'behind' || patienceMs <= 0) goOffline();
      if (offline) return pingMs;
      const nextMs = retryMs;
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      return nextMs;
    },
    answered() {
      if (awaySince === undefined) return;
      log.write('warn', 'Server answers again', { away_s: Math.round((performance.now() - awaySince) / 1000) });
      lapse?.cancel();
      awaySince = undefined;
      retryMs = FIRST_RETRY_MS;
      told = undefined;
      if (!offline) return;
      offline = false;
      onOnline();
    },
    close: () => lapse?.cancel(),
  };
}
