import type { Cursor } from './cursor.ts';

/** The flags that apply at a position of a pattern. */
export interface Flags {
  /** (?i) */
  readonly ignoresCase: boolean;
  /** (?m): ^ and $ at every line. */
  readonly isMultiline: boolean;
  /** (?s): a dot matches a line break too. */
  readonly dotTakesAll: boolean;
  /** (?x): blanks and comments are ignored. */
  readonly isSpaced: boolean;
  /** (?R): `\r` ends a line too. */
  readonly isCrlf: boolean;
  /** (?-u): classes hold ASCII letters only. */
  readonly isAscii: boolean;
}

export const NO_FLAGS: Flags = {
  ignoresCase: false,
  isMultiline: false,
  dotTakesAll: false,
  isSpaced: false,
  isCrlf: false,
  isAscii: false,
};

type Change = readonly [keyof Flags, value: boolean];

const FLAGS: ReadonlyMap<string, Change | undefined> = new Map<string, Change | undefined>([
  ['i', ['ignoresCase', true]],
  ['m', ['isMultiline', true]],
  ['s', ['dotTakesAll', true]],
  ['x', ['isSpaced', true]],
  ['R', ['isCrlf', true]],
  ['u', ['isAscii', false]],
  // Swaps greedy and lazy, which does not affect whether a name matches.
  ['U', undefined],
]);

/** The flags after a change such as `i-x` in `(?i-x)`. Throws `PatternMalformed`. */
export function changedFlags(flags: Flags, text: string, cursor: Cursor): Flags {
  let result = flags;
  let isOn = true;
  const seen = new Set<string>();
  for (const letter of text) {
    if (seen.has(letter)) throw cursor.malformed(letter === '-' ? 'flag negation operator repeated' : 'duplicate flag');
    seen.add(letter);
    if (letter === '-') {
      isOn = false;
      continue;
    }
    if (!FLAGS.has(letter)) throw cursor.malformed('unrecognized flag');
    const change = FLAGS.get(letter);
    if (change !== undefined) result = { ...result, [change[0]]: change[1] === isOn };
  }
  if (text.endsWith('-')) throw cursor.malformed('dangling flag negation operator');
  return result;
}
