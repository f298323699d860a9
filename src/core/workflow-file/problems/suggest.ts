import { smallest } from '../../quantity/extremes.ts';

/**
 * The candidate that a misspelled word most probably means; undefined if none is near.
 *
 * Near means: the same letters except case, `_` and `-`; few typing errors, at most a third of the word; or the word is
 * an abbreviation, `cmd` of `command`, of one candidate only.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const bare = strip(word);
  if (bare === '') return undefined;
  // In a word of one letter, one typing error leaves nothing of it.
  const limit = bare.length === 1 ? 0 : Math.max(1, Math.floor(bare.length / 3));
  let best: string | undefined;
  let bestSlips = limit + 1;
  const longer: string[] = [];
  for (const candidate of candidates) {
    const other = strip(candidate);
    if (Math.abs(other.length - bare.length) < bestSlips) {
      const slips = other === bare ? 0 : slipsBetween(bare, other, bestSlips);
      if (slips < bestSlips) [best, bestSlips] = [candidate, slips];
    }
    if (isAbbreviation(bare, other)) longer.push(candidate);
  }
  return best ?? (longer.length === 1 ? longer[0] : undefined);
}

const strip = (word: string): string => word.toLowerCase().replace(/[_\-\s]/g, '');

function isAbbreviation(short: string, long: string): boolean {
  if (short.length < 3 || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; `limit` if there are as many. */
function slipsBetween(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (above[j] ?? limit) + 1,
          (row[j - 1] ?? limit) + 1,
          (above[j - 1] ?? limit) + same,
          swapped ? (before[j - 2] ?? limit) + 1 : limit,
        ),
      );
    }
    if (smallest(row) >= limit) return limit;
    [before, above] = [above, row];
  }
  return above[b.length] ?? limit;
}
