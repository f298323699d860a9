import { machineOf } from './machine.ts';
import { Matcher } from './matcher.ts';
import { parsePattern } from './parse.ts';
import { PatternMalformed, type Pattern } from './syntax.ts';

export { PatternMalformed };

/** A compiled pattern for names. */
export interface NamePattern {
  /** Every matching name begins with this; empty for most patterns. */
  readonly prefix: string;
  /** The only matching name, for `^name$`. */
  readonly exact: string | undefined;
  matches(name: string): boolean;
}

/**
 * A regular expression as workflow files write it: unanchored, Unicode, without look-around and back-references.
 *
 * It takes time in proportion to the name, whatever the pattern.
 * Throws: `PatternMalformed`.
 */
export function namePattern(text: string): NamePattern {
  const pattern = parsePattern(text);
  const { isAnchored, letters, rest } = beginning(pattern);
  const isWhole = rest.length === 1 && rest[0]?.kind === 'assert' && rest[0].assertion.kind === 'end';
  const exact = isAnchored && isWhole ? letters : undefined;
  // A pattern for a single name needs no state machine: thousands of patterns of a sweep are of that kind.
  const machine = exact === undefined ? machineOf(pattern) : undefined;
  let matcher: Matcher | undefined;
  return {
    prefix: isAnchored ? letters : '',
    exact,
    matches(name) {
      if (machine === undefined) return name === exact;
      // Most names are excluded by the letters that a pattern begins with, anchored or not.
      if (letters !== '' && !name.includes(letters)) return false;
      matcher ??= new Matcher(machine, isAnchored);
      return matcher.matches(name);
    },
  };
}

/** Whether a pattern begins with `^`, the plain letters that follow, and the rest. */
function beginning(pattern: Pattern): { isAnchored: boolean; letters: string; rest: readonly Pattern[] } {
  const items = flat(pattern);
  const isAnchored = items[0]?.kind === 'assert' && items[0].assertion.kind === 'start';
  let at = isAnchored ? 1 : 0;
  let letters = '';
  for (let item = items[at]; item?.kind === 'letter' && item.letter.only !== undefined; item = items[at]) {
    letters += item.letter.only;
    at += 1;
  }
  return { isAnchored, letters, rest: items.slice(at) };
}

const flat = (pattern: Pattern): readonly Pattern[] => {
  if (pattern.kind === 'empty') return [];
  return pattern.kind === 'sequence' ? pattern.items.flatMap(flat) : [pattern];
};
