import type { CauseCode, HandlerLimit } from '../../contract/cause-code.ts';
import { formatDuration } from '../../quantity/duration.ts';
import type { Timeout } from '../../attempt/timeout.ts';
import { sizeTexts } from '../../quantity/size-text.ts';
import { type Backoff, type CauseRules, type Raise, USUAL_ATTEMPTS } from './cause-rules.ts';

/** What ended an attempt, where more than an exit code proves it: its memory, its time, or its node. */
export type FailureCause = 'memory' | 'time' | 'node';

/** The cause of an attempt, if rules of failure handlers are about it. */
export const failureCauseOf = (cause: CauseCode | undefined): FailureCause | undefined =>
  cause === 'memory' || cause === 'time' || cause === 'node' ? cause : undefined;

/** Seconds before the attempt after this one begins: they grow with each attempt. */
export const backoffSeconds = (backoff: Backoff | undefined, attempt: number): number =>
  backoff === undefined
    ? 0
    : Math.min(backoff.maxSeconds, backoff.initialSeconds * backoff.factor ** Math.max(0, attempt - 1));

/** An attempt that failed, with what it asked for and used. */
export interface MeasuredFailure {
  readonly cause: FailureCause;
  /** Attempts that count: those that were lost with their runner do not. */
  readonly attempt: number;
  readonly need: { readonly memory_bytes: number; readonly runtime_seconds: number };
  readonly seconds: number;
  readonly peakMemoryBytes: number | undefined;
  /** The timeout at which it was ended. */
  readonly timeout?: Timeout | undefined;
}

/** Amounts that the next attempt asks for. */
interface Raised {
  readonly memory_bytes?: number;
  readonly runtime_seconds?: number;
}

/** What the rules for causes make of a failed attempt; `words` says it to a person, and is stored with the result. */
export type CauseVerdict =
  | { readonly kind: 'stays'; readonly words: string; readonly limit: HandlerLimit }
  | {
      readonly kind: 'again';
      readonly words: string;
      readonly raise: Raised | undefined;
      /** The attempt does not count: it was not the job that failed. */
      readonly isRefunded: boolean;
      readonly maxRetries: number | undefined;
    };

/** The decision about an attempt whose cause is known; undefined if no rule is about that cause. */
export function verdictByCause(rules: CauseRules | undefined, failed: MeasuredFailure): CauseVerdict | undefined {
  if (rules === undefined) return undefined;
  switch (failed.cause) {
    case 'node':
      if (!rules.retriesNodeFailure) return undefined;
      return {
        kind: 'again',
        words: 'it runs again (on_node_fail)',
        raise: undefined,
        isRefunded: true,
        maxRetries: undefined,
      };
    case 'memory':
      return rules.memory && byMemory(rules.memory, failed);
    case 'time':
      return rules.time && byTime(rules.time, failed);
  }
}

function byMemory(raise: Raise, { attempt, need, peakMemoryBytes = 0 }: MeasuredFailure): CauseVerdict {
  const had = need.memory_bytes;
  const next = nextAmount(raise, had, peakMemoryBytes, MEBIBYTE);
  // Beside what it used, which has the same units: `it used 394 of 200 MiB`.
  const [text = '', , nextText] = sizeTexts(had, peakMemoryBytes || had, next ?? had);
  const end = endOf(raise, 'on_oom', { attempt, text, next });
  if (end !== undefined) return end;
  return {
    kind: 'again',
    words: `it had ${text}; the next attempt has ${nextText} (on_oom)`,
    raise: { memory_bytes: next as number },
    isRefunded: false,
    maxRetries: raise.maxRetries,
  };
}

function byTime(raise: Raise, { attempt, need, seconds, timeout }: MeasuredFailure): CauseVerdict {
  if (timeout?.isRequest === false) return atTimeout(raise, attempt, timeout);
  const had = need.runtime_seconds;
  const text = formatDuration(had);
  // The end of its runner came much earlier than the runner knew when it started the job: more runtime would not help.
  if (seconds < had / 2)
    return {
      kind: 'again',
      words: `its runner ended after ${formatDuration(seconds)} of its ${text}; it runs again as it is (on_timeout)`,
      raise: undefined,
      isRefunded: true,
      maxRetries: undefined,
    };
  const next = nextAmount(raise, had, seconds, 60);
  const end = endOf(raise, 'on_timeout', { attempt, text, next });
  if (end !== undefined) return end;
  return {
    kind: 'again',
    words: `it had ${text}; the next attempt has ${formatDuration(next as number)} (on_timeout)`,
    raise: { runtime_seconds: next as number },
    isRefunded: false,
    maxRetries: raise.maxRetries,
  };
}

/** A timeout is the decision of a person, and stays: more runtime would not help. A program that hangs now and then gets another attempt. */
function atTimeout({ maxRetries = USUAL_ATTEMPTS }: Raise, attempt: number, { setBy }: Timeout): CauseVerdict {
  if (attempt >= maxRetries) {
    const words = `attempt ${attempt} was the last that on_timeout allows; ${setBy} is not raised`;
    return { kind: 'stays', words, limit: 'attempts' };
  }
  const words = 'it runs again with the same timeout (on_timeout)';
  return { kind: 'again', words, raise: undefined, isRefunded: false, maxRetries };
}

/** The last attempt: it had the maximum already, or no more attempts are allowed. */
function endOf(
  { maxRetries }: Raise,
  field: string,
  { attempt, text, next }: { readonly attempt: number; readonly text: string; readonly next: number | undefined },
): CauseVerdict | undefined {
  if (next === undefined) return { kind: 'stays', words: `it had ${text}, the max of ${field}`, limit: 'max' };
  if (maxRetries === undefined || attempt < maxRetries) return undefined;
  const words = `it had ${text} in attempt ${attempt}, the last that ${field} allows`;
  return { kind: 'stays', words, limit: 'attempts' };
}

/**
 * The next amount: raised as often as it takes to exceed what was used, in whole units, `max` at most. Undefined if the attempt
 * had `max` already.
 */
function nextAmount({ factor, max = Infinity }: Raise, had: number, used: number, unit: number): number | undefined {
  if (had >= max) return undefined;
  let next = had;
  do next = Math.max(unit, Math.ceil((next * factor) / unit - 1e-6) * unit);
  while (next <= used && next < max);
  return Math.min(next, max);
}

const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;

/** Bytes in the form of a workflow file, exactly: `300m`, `2g`. */
export function memoryAmountText(bytes: number): string {
  if (bytes % GIBIBYTE === 0) return `${bytes / GIBIBYTE}g`;
  if (bytes % MEBIBYTE === 0) return `${bytes / MEBIBYTE}m`;
  return bytes % 1024 === 0 ? `${bytes / 1024}k` : String(bytes);
}

/** The name of requirements that were raised: `small_300m_PT1H`. Raised again, they get a new one, not a longer one. */
export function raisedName(name: string, memory: string, runtime: string): string {
  return `${name.replace(RAISED, '')}_${memory}_${runtime}`;
}

const RAISED = /_\d+[kmgt]?_P[\dYMWDTHS]+$/i;
