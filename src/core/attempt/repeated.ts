import type { CauseCode } from '../contract/cause-code.ts';
import { CAUSES } from './cause.ts';
import { nameOfSignal } from './signal.ts';
import { counted, grouped } from '../quantity/count-text.ts';

/** The number of attempts that a runner repeated, by why they had ended, in a few words: `exit code 75`, `out of memory`. */
export type Repeated = ReadonlyMap<string, number>;

interface EndOfRepeated {
  readonly return_code: number;
  readonly cause_code?: CauseCode | null | undefined;
}

export function countRepeated(counts: Map<string, number>, end: EndOfRepeated): void {
  const words = endWords(end);
  counts.set(words, (counts.get(words) ?? 0) + 1);
}

/** `14 attempts were repeated: 12 exit code 75, 2 out of memory`: the most frequent first; undefined where none was. */
export function repeatedWords(repeated: Repeated): string | undefined {
  if (repeated.size === 0) return undefined;
  const kinds = [...repeated].toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
  const shown = kinds.slice(0, MOST_KINDS);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  const others = all - shown.reduce((sum, [, count]) => sum + count, 0);
  const parts = [
    ...shown.map(([words, count]) => (kinds.length === 1 ? words : `${grouped(count)} ${words}`)),
    ...(others > 0 ? [`${grouped(others)} for other reasons`] : []),
  ];
  return `${counted(all, 'attempt was', 'attempts were')} repeated: ${parts.join(', ')}`;
}

/** Kinds that are named: a person reads one line. */
const MOST_KINDS = 5;

function endWords({ return_code: code, cause_code: cause }: EndOfRepeated): string {
  if (cause === 'crash' || cause === 'signal' || cause === 'killed') return nameOfSignal(code - 128);
  return (cause && CAUSES[cause].short) ?? `exit code ${code}`;
}
