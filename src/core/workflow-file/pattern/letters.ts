import type { Letter } from './syntax.ts';

/** Sets of letters, by the runtime's own Unicode tables: each is tested with a class for a single code point. */
export type LetterTest = (letter: string) => boolean;

/** What the Perl classes mean in Rust: Unicode, where JavaScript's own are ASCII. */
const PERL: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  s: '\\p{White_Space}',
  w: '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}',
};

const ASCII_PERL: Readonly<Record<string, string>> = { d: '0-9', s: '\\t\\n\\v\\f\\r\\x20', w: '0-9A-Za-z_' };

const POSIX: Readonly<Record<string, string>> = {
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

/**
 * The set of the members of a class as JavaScript's `v` flag writes them, without brackets; undefined for an invalid
 * class.
 */
export function setOf(members: string, ignoresCase: boolean): LetterTest | undefined {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^[${members}]$`, ignoresCase ? 'vi' : 'v');
  } catch {
    return undefined;
  }
  return (letter) => pattern.test(letter);
}

/** The set of a class that is known to exist. */
export function knownSet(members: string, ignoresCase: boolean): LetterTest {
  const set = setOf(members, ignoresCase);
  if (set === undefined) throw new Error(`a class that JavaScript does not know: ${members}`);
  return set;
}

export const inverse =
  (set: LetterTest): LetterTest =>
  (letter) =>
    !set(letter);

export function oneLetter(letter: string, ignoresCase: boolean): Letter {
  // Digits and punctuation have no case: the fast comparison works for them too.
  if (!ignoresCase || letter.toLowerCase() === letter.toUpperCase())
    return { fits: (other) => other === letter, only: letter };
  return { fits: knownSet(escaped(letter), true) };
}

interface Reading {
  readonly ignoresCase: boolean;
  readonly isAscii: boolean;
}

/** The set for `\d`, `\S` and similar escapes; undefined for another letter. */
export function perlSet(letter: string, { ignoresCase, isAscii }: Reading): LetterTest | undefined {
  const members = (isAscii ? ASCII_PERL : PERL)[letter.toLowerCase()];
  if (members === undefined) return undefined;
  const set = knownSet(members, ignoresCase);
  return letter === letter.toLowerCase() ? set : inverse(set);
}

/** The set for `[:alpha:]` or `[:^alpha:]`; undefined for an unknown name. */
export function posixSet(name: string, isNegated: boolean, ignoresCase: boolean): LetterTest | undefined {
  const members = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  if (members === undefined) return undefined;
  const set = knownSet(members, ignoresCase);
  return isNegated ? inverse(set) : set;
}

/** A letter escaped for use in a class. */
export const escaped = (letter: string): string => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;

const WORD = knownSet(PERL['w'] ?? '', false);

export const isAsciiWordLetter = (letter: string): boolean => /^\w$/.test(letter);

export const isWordLetter = (letter: string): boolean =>
  /^[\x20-\x7e]$/.test(letter) ? isAsciiWordLetter(letter) : WORD(letter);
