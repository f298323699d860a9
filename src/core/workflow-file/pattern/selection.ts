import { IntList } from '../../lists/int-list.ts';
import type { NameIndex } from './name-index.ts';
import { UNREAD } from '../shape/check.ts';
import { namePattern, PatternMalformed, type NamePattern } from './pattern.ts';

/** The names that patterns are compared with. */
export interface Names {
  readonly length: number;
  readonly index: NameIndex;
  readonly nameAt: (index: number) => string;
}

// A million jobs with a pattern each would be 10^12 comparisons. Too small, and a large but valid fan-in is refused;
// too big, and the command seems to hang: at 30 to 200 ns each, this many take 6 to 40 seconds.
const MOST_QUESTIONS = 200_000_000;
// A name may have a million characters, and each is looked at: at 50 ns each, so many take 100 seconds.
const MOST_LETTERS = 2_000_000_000;
/** Questions between two reports of progress: 50 ms. */
const REPORTS_EVERY = 100_000;

/** Called now and then with the names that were compared with all patterns, and the number of all names. */
export type ReportCompared = (names: number, of: number) => void;

/**
 * The names that each of many patterns selects, found in one pass over the names.
 *
 * Each different text is evaluated once, however many jobs of a sweep contain it. A pattern that begins with `^` and
 * plain letters is only compared with names that begin so: `^work_{g}_\d+$` over a thousand groups of a thousand visits
 * each name a few times, not a thousand times.
 */
export class Selections {
  /** Set if there were too many patterns; then every list is empty. */
  isTooMany = false;
  private readonly numbers = new Map<string, number | PatternMalformed>();
  private readonly patterns: NamePattern[] = [];
  private readonly members: Int32Array[] = [];
  private readonly names: Names;

  constructor(names: Names) {
    this.names = names;
  }

  get count(): number {
    return this.patterns.length;
  }

  /** The number of a pattern's selection, or why there is none. */
  numberOf(text: string): number | PatternMalformed {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    let number: number | PatternMalformed;
    try {
      number = this.patterns.push(namePattern(text)) - 1;
    } catch (cause) {
      if (!(cause instanceof PatternMalformed)) throw cause;
      number = cause;
    }
    this.numbers.set(text, number);
    return number;
  }

  /** The names of a selection, in order. Only after `select`. */
  membersOf(number: number): Int32Array {
    return this.members[number] ?? NO_MEMBERS;
  }

  /** The prefix of every name of a selection. */
  prefixOf(number: number): string {
    return this.patterns[number]?.prefix ?? '';
  }

  /** Evaluates all patterns. */
  select(report?: ReportCompared): void {
    const found = this.patterns.map(() => new IntList(4));
    const byPrefix = this.byPrefix(found);
    // Those without a prefix are compared with every name; if that is too much, it is reported now and not after a
    // minute.
    const unbounded = byPrefix.get(0)?.get('')?.length ?? 0;
    let [questions, letters, reportedAt] = [0, 0, 0];
    this.isTooMany = unbounded * this.names.length > MOST_QUESTIONS;
    if (this.isTooMany) return;
    for (let index = 0; index < this.names.length && byPrefix.size > 0; index += 1) {
      const name = this.names.nameAt(index);
      if (name === UNREAD) continue;
      for (const [length, patterns] of byPrefix) {
        for (const number of patterns.get(name.slice(0, length)) ?? []) {
          questions += 1;
          letters += name.length;
          if (this.patterns[number]?.matches(name) === true) found[number]?.push(index);
        }
      }
      if (questions > MOST_QUESTIONS || letters > MOST_LETTERS) {
        this.isTooMany = true;
        return;
      }
      if (questions - reportedAt < REPORTS_EVERY) continue;
      reportedAt = questions;
      report?.(index + 1, this.names.length);
    }
    for (const list of found) this.members.push(list.view().slice());
  }

  /** The patterns by length and text of their prefix; the index answers a pattern for one name at once. */
  private byPrefix(found: readonly IntList[]): Map<number, Map<string, number[]>> {
    const byLength = new Map<number, Map<string, number[]>>();
    for (const [number, { prefix, exact }] of this.patterns.entries()) {
      if (exact !== undefined) {
        const index = this.names.index.find(exact);
        if (index >= 0) found[number]?.push(index);
        continue;
      }
      const byText = byLength.get(prefix.length) ?? new Map<string, number[]>();
      byLength.set(prefix.length, byText);
      const alike = byText.get(prefix);
      if (alike === undefined) byText.set(prefix, [number]);
      else alike.push(number);
    }
    return byLength;
  }
}

const NO_MEMBERS = new Int32Array();
