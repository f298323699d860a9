import { classOf, classSource, escapeMember } from './class.ts';
import { Cursor } from './cursor.ts';
import { oneLetter } from './letters.ts';
import type { Assertion, Letter, Pattern } from './syntax.ts';

/**
 * Reads a regular expression in the dialect of Rust's `regex` crate, which is the dialect of workflow files.
 *
 * Unicode classes, `(?i)`, `(?s)`, `(?m)`, `(?x)` and groups of any kind are read; look-around and back-references are
 * refused, as there.
 * Throws: `PatternMalformed`.
 */
export const parsePattern = (text: string): Pattern => new Parser(text).pattern();

interface Flags {
  /** (?i) */
  readonly ignoresCase: boolean;
  /** (?m): ^ and $ at every line. */
  readonly isMultiline: boolean;
  /** (?s): a dot takes a line break too. */
  readonly dotTakesAll: boolean;
  /** (?x): blanks and comments are no letters. */
  readonly isSpaced: boolean;
}

const NO_FLAGS: Flags = { ignoresCase: false, isMultiline: false, dotTakesAll: false, isSpaced: false };
const FLAG_NAMES: Readonly<Record<string, keyof Flags | undefined>> = {
  i: 'ignoresCase',
  m: 'isMultiline',
  s: 'dotTakesAll',
  x: 'isSpaced',
};
const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'start'],
  ['z', 'end'],
  ['b', 'word'],
  ['B', 'notWord'],
]);
// Above these a pattern is a mistake; Rust too refuses what compiles to more than 10 MB.
const MOST_REPEATS = 1000;
const DEEPEST = 250;

class Parser {
  private readonly cursor: Cursor;
  private depth = 0;
  private flags: Flags = NO_FLAGS;

  constructor(text: string) {
    this.cursor = new Cursor(text);
  }

  pattern(): Pattern {
    const pattern = this.either();
    if (!this.cursor.isAtEnd) throw this.cursor.malformed('unopened group');
    return pattern;
  }

  private either(): Pattern {
    const items = [this.sequence()];
    while (this.cursor.take('|')) items.push(this.sequence());
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'either', items };
  }

  private sequence(): Pattern {
    const items: Pattern[] = [];
    for (;;) {
      if (this.flags.isSpaced) this.cursor.skipBlank();
      const { next } = this.cursor;
      if (next === undefined || next === '|' || next === ')') break;
      items.push(this.repeated(this.item()));
    }
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
  }

  private item(): Pattern {
    const { isMultiline, dotTakesAll, isSpaced, ignoresCase } = this.flags;
    const next = this.cursor.letter();
    switch (next) {
      case '(':
        return this.group();
      case '[':
        return letters(classOf(classSource(this.cursor, isSpaced), ignoresCase));
      case '.':
        return letters(classOf(dotTakesAll ? '[\\p{Any}]' : '[^\\n]', false));
      case '^':
        return assertion(isMultiline ? 'lineStart' : 'start');
      case '$':
        return assertion(isMultiline ? 'lineEnd' : 'end');
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.cursor.malformed('repetition operator missing expression');
      default:
        return letters(oneLetter(next, ignoresCase));
    }
  }

  private escape(): Pattern {
    const { cursor } = this;
    if (cursor.next === undefined) {
      throw cursor.malformed('incomplete escape sequence, reached end of pattern prematurely');
    }
    const known = ASSERTIONS.get(cursor.next);
    if (known !== undefined) {
      cursor.letter();
      return assertion(known);
    }
    const { isClass, source } = escapeMember(cursor);
    const { ignoresCase } = this.flags;
    return letters(isClass ? classOf(source, ignoresCase) : oneLetter(source, ignoresCase));
  }

  private group(): Pattern {
    this.depth += 1;
    if (this.depth > DEEPEST) throw this.cursor.malformed('exceeded the maximum number of nested parentheses');
    const outer = this.flags;
    const isFlags = this.cursor.take('?') && this.groupHead();
    if (!isFlags) {
      const inner = this.either();
      if (!this.cursor.take(')')) throw this.cursor.malformed('unclosed group');
      this.flags = outer;
      this.depth -= 1;
      return inner;
    }
    this.depth -= 1;
    return { kind: 'empty' };
  }

  /** Reads what follows `(?`: a name, or flags; true when flags stand alone and hold for the rest of the group. */
  private groupHead(): boolean {
    const { cursor } = this;
    if (cursor.ahead(/^<?[=!]/) !== undefined) {
      throw cursor.malformed('look-around, including look-ahead and look-behind, is not supported');
    }
    const name = cursor.ahead(/^P?<[\p{L}_][\p{L}\p{N}_.[\]]*>/u)?.[0];
    if (name !== undefined) {
      cursor.at += name.length;
      return false;
    }
    const [whole, on = '', off, end] = cursor.ahead(/^([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/) ?? [];
    if (whole === undefined) throw cursor.malformed('unrecognized flag');
    if (end === ')' && on === '' && off === undefined) throw cursor.malformed('missing flags in group');
    this.setFlags(on, true);
    this.setFlags(off ?? '', false);
    cursor.at += whole.length;
    return end === ')';
  }

  private setFlags(names: string, value: boolean): void {
    for (const letter of names) {
      const flag = FLAG_NAMES[letter];
      if (flag !== undefined) this.flags = { ...this.flags, [flag]: value };
      // U swaps greedy and lazy, which no name can tell; u and R are how we read anyway.
      else if (!'UuR'.includes(letter)) throw this.cursor.malformed('unrecognized flag');
    }
  }

  private repeated(item: Pattern): Pattern {
    let result = item;
    for (;;) {
      if (this.flags.isSpaced) this.cursor.skipBlank();
      const bounds = this.bounds();
      if (bounds === undefined) return result;
      this.cursor.take('?');
      result = { kind: 'repeat', item: result, ...bounds };
    }
  }

  private bounds(): { from: number; to: number } | undefined {
    const { cursor } = this;
    if (cursor.take('*')) return { from: 0, to: Infinity };
    if (cursor.take('+')) return { from: 1, to: Infinity };
    if (cursor.take('?')) return { from: 0, to: 1 };
    if (cursor.next !== '{') return undefined;
    const [whole, low = '', comma, high = ''] = cursor.ahead(/^\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}/) ?? [];
    if (whole === undefined || (low === '' && high === '')) {
      throw cursor.malformed('repetition quantifier expects a valid decimal');
    }
    cursor.at += whole.length;
    const from = Number(low === '' ? 0 : low);
    const to = comma === '' ? from : high === '' ? Infinity : Number(high);
    if (to < from) throw cursor.malformed('invalid repetition count range, the start must be <= the end');
    if (from > MOST_REPEATS || (to !== Infinity && to > MOST_REPEATS)) {
      throw cursor.malformed('Compiled regex exceeds size limit');
    }
    return { from, to };
  }
}

const letters = (letter: Letter): Pattern => ({ kind: 'letter', letter });

const assertion = (kind: Assertion): Pattern => ({ kind: 'assert', assertion: kind });
