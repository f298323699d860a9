import type { Evidence } from './evidence.ts';
import { shortageCause } from './full-disk.ts';
import type { Verdict } from './judge.ts';
import type { Completion } from '../contract/exchange.ts';
import { partOfSize } from '../quantity/size-text.ts';

/** What is known of an end besides its evidence. */
interface KnownOfEnd extends Pick<
  Evidence,
  'missingOutputs' | 'staleOutputs' | 'shortage' | 'allocationEnd' | 'endedFor'
> {
  readonly peakBytes: number;
  /** What it asked for; Infinity if it asked for nothing. */
  readonly askedBytes: number;
}

/** Outputs that are named; the others are counted. */
const NAMED = 5;

/** Why an attempt ended, as its result records it: the code, and in words what the code does not say. */
export function causeFields(
  { cause }: Verdict,
  known: KnownOfEnd,
  words: string | undefined,
): Pick<Completion, 'cause' | 'cause_code'> {
  if (cause === undefined) return {};
  const details = detailsOf(cause, known, words);
  return { cause_code: cause, ...(details.length === 0 ? {} : { cause: details.join('; ') }) };
}

function detailsOf(
  cause: NonNullable<Verdict['cause']>,
  { missingOutputs = [], staleOutputs = [], shortage, allocationEnd, endedFor, peakBytes, askedBytes }: KnownOfEnd,
  words: string | undefined,
): string[] {
  if (cause === 'missing_output') return [named(missingOutputs)];
  if (cause === 'stale_output') return [named(staleOutputs)];
  if (cause === 'disk') return shortage === undefined ? [] : [shortageCause(shortage)];
  // The words of its account are about what asked it.
  if (cause === 'asked') return endedFor === 'timeout' ? given(words) : [];
  if (cause === 'allocation' && words === undefined && allocationEnd === 'preempted')
    return ['it was preempted, or lost its node'];
  const isMeasured = cause === 'memory' && peakBytes > 0 && Number.isFinite(askedBytes);
  return [...given(words), ...(isMeasured ? [`it used ${partOfSize(peakBytes, askedBytes)}`] : [])];
}

const given = (words: string | undefined): string[] => (words === undefined ? [] : [words]);

function named(paths: readonly string[]): string {
  const more = paths.length - NAMED;
  return `${paths.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
