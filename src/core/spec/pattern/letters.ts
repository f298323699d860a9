import type { Letter } from './syntax.ts';

/**
 * Sets of letters, by the runtime's own Unicode tables: a class is turned into one for a single code point with the
 * `v` flag, which has nested classes, `&&` and `--` as Rust has them.
 */

/** What the Perl classes mean in Rust: Unicode, where JavaScript's own are ASCII. */
const PERL: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  s: '\\p{White_Space}',
  w: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}',
};

const ASCII_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t\\x20',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '\\x21-\\x7E',
  lower: 'a-z',
  print: '\\x20-\\x7E',
  punct: '\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E',
  space: '\\t\\n\\v\\f\\r\\x20',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** A letter of a class written for JavaScript's `v` flag, brackets included; nothing when it is no class. */
export function classLetter(source: string, ignoresCase: boolean): Letter | undefined {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${source}$`, ignoresCase ? 'vi' : 'v');
  } catch {
    return undefined;
  }
  return { fits: (letter) => pattern.test(letter) };
}

export function oneLetter(letter: string, ignoresCase: boolean): Letter {
  const folded = ignoresCase ? classLetter(`[${escaped(letter)}]`, true) : undefined;
  // Digits and signs have no case: the quick comparison serves them too.
  if (folded === undefined || letter.toLowerCase() === letter.toUpperCase()) {
    return { fits: (other) => other === letter, only: letter };
  }
  return folded;
}

/** The inside of a class for `\d`, `\S` and their like; nothing for another letter. */
export function perlClass(letter: string): string | undefined {
  const members = PERL[letter.toLowerCase()];
  if (members === undefined) return undefined;
  return letter === letter.toLowerCase() ? `[${members}]` : `[^${members}]`;
}

/** The class for `[:alpha:]` or `[:^alpha:]`; nothing for an unknown name. */
export function asciiClass(name: string, isNegated: boolean): string | undefined {
  const members = ASCII_CLASSES[name];
  return members === undefined ? undefined : `[${isNegated ? '^' : ''}${members}]`;
}

/** A letter as it may stand in a class. */
export const escaped = (letter: string): string => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;

const WORD = classLetter(`[${PERL['w'] ?? ''}]`, false);

export const isWordLetter = (letter: string): boolean =>
  /^[\x20-\x7e]$/.test(letter) ? /^\w$/.test(letter) : WORD?.fits(letter) === true;
