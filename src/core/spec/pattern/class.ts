import type { Cursor } from './cursor.ts';
import { asciiClass, classLetter, escaped, perlClass } from './letters.ts';
import { PatternMalformed, type Letter } from './syntax.ts';

/** One letter, or a class as JavaScript's `v` flag writes it. */
export interface Member {
  readonly isClass: boolean;
  readonly source: string;
}

const CONTROLS: Readonly<Record<string, string>> = { a: '\x07', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' };
// What may follow a backslash as itself.
const PUNCTUATION = /^[\\.+*?()|[\]{}^$#&\-~/"'%,:;<=>@_`! ]$/;
const DEEPEST = 250;
const OPERATOR = /^(?:&&|--|~~)/;

/** The set of letters of a class. Throws `PatternMalformed` for one that does not exist. */
export function classOf(source: string, ignoresCase: boolean): Letter {
  const letter = classLetter(source, ignoresCase);
  if (letter === undefined) throw new PatternMalformed(`regex parse error: invalid character class ${source}`);
  return letter;
}

/** What follows a backslash, in a class or out of it. */
export function escapeMember(cursor: Cursor): Member {
  const code = cursor.ahead(/^x([0-9a-fA-F]{2})|^[xuU]\{([0-9a-fA-F]{1,6})\}|^u([0-9a-fA-F]{4})|^U([0-9a-fA-F]{8})/);
  if (code !== undefined) {
    cursor.at += code[0].length;
    const point = Number.parseInt(code.slice(1).join(''), 16);
    if (point > 0x10ffff) throw cursor.malformed('invalid hexadecimal code point');
    return { isClass: false, source: String.fromCodePoint(point) };
  }
  const property = cursor.ahead(/^([pP])(?:\{(\^?)([^}]+)\}|([A-Z]))/);
  if (property !== undefined) {
    cursor.at += property[0].length;
    const [, letter, inverse = '', long, short = ''] = property;
    return { isClass: true, source: unicodeClass(long ?? short, (letter === 'P') !== (inverse === '^')) };
  }
  const letter = cursor.letter();
  const perl = perlClass(letter);
  if (perl !== undefined) return { isClass: true, source: perl };
  if (Object.hasOwn(CONTROLS, letter)) return { isClass: false, source: CONTROLS[letter] ?? letter };
  if (/^\d$/.test(letter)) throw cursor.malformed('backreferences are not supported');
  if (!PUNCTUATION.test(letter)) throw cursor.malformed('unrecognized escape sequence');
  return { isClass: false, source: letter };
}

/** A bracketed class, its opening bracket taken, with what it nests. */
export function classSource(cursor: Cursor, isSpaced: boolean, depth = 0): string {
  if (depth > DEEPEST) throw cursor.malformed('exceeded the maximum nesting depth');
  let result = cursor.take('^') ? '[^' : '[';
  for (let isFirst = true; ; isFirst = false) {
    if (isSpaced) cursor.skipBlank();
    if (cursor.isAtEnd) throw cursor.malformed('unclosed character class');
    if (!isFirst && cursor.take(']')) return `${result}]`;
    const operator = isFirst ? undefined : cursor.ahead(OPERATOR)?.[0];
    if (operator === undefined) result += member(cursor, isSpaced, depth);
    else result = setOperation(cursor, result, operator, isSpaced, depth);
  }
}

/** `a&&b`: JavaScript wants either side of an operator as a class of its own. */
function setOperation(cursor: Cursor, left: string, operator: string, isSpaced: boolean, depth: number): string {
  if (operator === '~~') throw cursor.malformed('symmetric difference of classes is not supported');
  cursor.take(operator);
  const inverse = left.startsWith('[^') ? '^' : '';
  let right = '';
  while (!cursor.isAtEnd && cursor.next !== ']' && cursor.ahead(OPERATOR) === undefined) {
    right += member(cursor, isSpaced, depth);
  }
  return `[${inverse}[${left.slice(1 + inverse.length)}]${operator}[${right}]`;
}

function member(cursor: Cursor, isSpaced: boolean, depth: number): string {
  const ascii = cursor.ahead(/^\[:(\^?)([a-z]+):\]/);
  if (ascii !== undefined) {
    const source = asciiClass(ascii[2] ?? '', ascii[1] === '^');
    if (source === undefined) throw cursor.malformed('unrecognized POSIX class');
    cursor.at += ascii[0].length;
    return source;
  }
  if (cursor.take('[')) return classSource(cursor, isSpaced, depth + 1);
  const from = classMember(cursor, isSpaced);
  if (from.isClass) return from.source;
  if (cursor.next !== '-' || cursor.ahead(/^-[\]-]/) !== undefined) return escaped(from.source);
  cursor.take('-');
  const to = classMember(cursor, isSpaced);
  if (to.isClass) throw cursor.malformed('invalid range boundary, must be a literal');
  if ((to.source.codePointAt(0) ?? 0) < (from.source.codePointAt(0) ?? 0)) {
    throw cursor.malformed('invalid character class range, the start must be <= the end');
  }
  return `${escaped(from.source)}-${escaped(to.source)}`;
}

function classMember(cursor: Cursor, isSpaced: boolean): Member {
  if (isSpaced) cursor.skipBlank();
  if (cursor.isAtEnd) throw cursor.malformed('unclosed character class');
  if (!cursor.take('\\')) return { isClass: false, source: cursor.letter() };
  if (cursor.isAtEnd) throw cursor.malformed('incomplete escape sequence, reached end of pattern prematurely');
  return escapeMember(cursor);
}

/** `\p{Greek}` is a script for Rust, which JavaScript only takes as `\p{Script=Greek}`. */
function unicodeClass(name: string, isInverse: boolean): string {
  const spelled = name.replace(/\s*[:=]\s*/, '=');
  const source = (inner: string): string => `\\${isInverse ? 'P' : 'p'}{${inner}}`;
  const known = [spelled, `Script=${spelled}`].find((inner) => classLetter(source(inner), false) !== undefined);
  if (known === undefined) throw new PatternMalformed(`regex parse error: Unicode property not found: ${name}`);
  return source(known);
}
