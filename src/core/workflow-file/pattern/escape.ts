import type { Cursor } from './cursor.ts';
import type { Flags } from './flags.ts';
import { inverse, perlSet, type LetterTest } from './letters.ts';
import type { Assertion } from './syntax.ts';
import { unicodeSet } from './unicode-set.ts';

/** The part of a pattern after a backslash. */
export type Escape =
  | { readonly kind: 'letter'; readonly letter: string }
  | { readonly kind: 'set'; readonly set: LetterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

const CONTROLS: Readonly<Record<string, string>> = { a: '\x07', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' };

/** Reads an escape after its backslash. Throws `PatternMalformed`. */
export function escape(cursor: Cursor, flags: Flags): Escape {
  if (cursor.isAtEnd) throw cursor.malformed('incomplete escape sequence, reached end of pattern prematurely');
  const code = codePoint(cursor);
  if (code !== undefined) return { kind: 'letter', letter: code };
  const property = cursor.ahead(/^([pP])(?:\{([^}]*)\}|([^{]))/u);
  if (property !== undefined) return { kind: 'set', set: propertySet(cursor, property, flags) };
  const letter = cursor.letter();
  const assertion = assertionOf(letter, cursor, flags);
  if (assertion !== undefined) return { kind: 'assertion', assertion };
  const set = perlSet(letter, flags);
  if (set !== undefined) return { kind: 'set', set };
  if (Object.hasOwn(CONTROLS, letter)) return { kind: 'letter', letter: CONTROLS[letter] ?? letter };
  if (/^\d$/.test(letter)) throw cursor.malformed('backreferences are not supported');
  // Every ASCII punctuation character stands for itself, whether it has a meaning or not.
  if (!/^[\0-\x7f]$/.test(letter) || /^[a-z]$/i.test(letter)) throw cursor.malformed('unrecognized escape sequence');
  return { kind: 'letter', letter };
}

/** `\x41`, `\u0041`, `\U00000041`, and each with braces. */
function codePoint(cursor: Cursor): string | undefined {
  const code = cursor.ahead(/^x([0-9a-fA-F]{2})|^[xuU]\{([0-9a-fA-F]+)\}|^u([0-9a-fA-F]{4})|^U([0-9a-fA-F]{8})/);
  if (code === undefined) return undefined;
  cursor.at += code[0].length;
  const point = Number.parseInt(code.slice(1).join(''), 16);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
    throw cursor.malformed('hexadecimal literal is not a Unicode scalar value: invalid hexadecimal code point');
  return String.fromCodePoint(point);
}

function propertySet(cursor: Cursor, found: RegExpExecArray, { isAscii, ignoresCase }: Flags): LetterTest {
  const [whole, letter, long, short = ''] = found;
  const name = long ?? short;
  if (isAscii) throw cursor.malformed('Unicode not allowed here');
  const set = unicodeSet(name, ignoresCase);
  if (set === undefined) throw cursor.malformed(`Unicode property not found: ${name}`);
  cursor.at += whole.length;
  return letter === 'P' ? inverse(set) : set;
}

const WORD_BORDERS = {
  start: 'wordStart',
  end: 'wordEnd',
  'start-half': 'wordStartHalf',
  'end-half': 'wordEndHalf',
} as const;

function assertionOf(letter: string, cursor: Cursor, { isAscii }: Flags): Assertion | undefined {
  switch (letter) {
    case 'A':
      return { kind: 'start' };
    case 'z':
      return { kind: 'end' };
    case 'B':
      return { kind: 'notWord', isAscii };
    case '<':
      return { kind: 'wordStart', isAscii };
    case '>':
      return { kind: 'wordEnd', isAscii };
    case 'b':
      return { kind: namedBorder(cursor) ?? 'word', isAscii };
    default:
      return undefined;
  }
}

/** `{start}` and similar names after `\b`; other braces count repetitions. */
function namedBorder(cursor: Cursor): (typeof WORD_BORDERS)[keyof typeof WORD_BORDERS] | undefined {
  const [whole, name = '', close] = cursor.ahead(/^\{([A-Za-z-]+)(\}?)/) ?? [];
  if (whole === undefined) return undefined;
  if (close === '')
    throw cursor.malformed('special word boundary assertion is either unclosed or contains an invalid character');
  if (!Object.hasOwn(WORD_BORDERS, name))
    throw cursor.malformed(
      'unrecognized special word boundary assertion, valid choices are: start, end, start-half or end-half',
    );
  cursor.at += whole.length;
  return WORD_BORDERS[name as keyof typeof WORD_BORDERS];
}
