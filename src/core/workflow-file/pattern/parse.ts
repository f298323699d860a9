import { bracketedClass } from './class.ts';
import { Cursor } from './cursor.ts';
import { escape } from './escape.ts';
import { changedFlags, NO_FLAGS, type Flags } from './flags.ts';
import { oneLetter, type LetterTest } from './letters.ts';
import type { Assertion, Pattern } from './syntax.ts';

/**
 * Parses a regular expression in the dialect of Rust's `regex` crate, which is the dialect of workflow files.
 *
 * Unicode classes, flags and groups of any kind are supported; look-around and back-references are refused, as there.
 * Differences: `Age` and the break properties of Unicode are unknown, and the size limit is another one.
 * Throws: `PatternMalformed`.
 */
export const parsePattern = (text: string): Pattern => new Parser(text).pattern();

const DEEPEST = 250;
// The largest count that Rust accepts; the state machine limits the result.
const LARGEST_COUNT = 2 ** 32 - 1;

class Parser {
  private readonly cursor: Cursor;
  private depth = 0;
  private flags: Flags = NO_FLAGS;
  private readonly names = new Set<string>();

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
    const { isMultiline, isCrlf } = this.flags;
    const next = this.cursor.letter();
    switch (next) {
      case '(':
        return this.group();
      case '[':
        return this.set(bracketedClass(this.cursor, this.flags));
      case '.':
        return this.set(this.dot());
      case '^':
        return assertion({ kind: !isMultiline ? 'start' : isCrlf ? 'lineStartCrlf' : 'lineStart' });
      case '$':
        return assertion({ kind: !isMultiline ? 'end' : isCrlf ? 'lineEndCrlf' : 'lineEnd' });
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.cursor.malformed('repetition operator missing expression');
      default:
        return this.letter(next);
    }
  }

  private dot(): LetterTest {
    const { dotTakesAll, isCrlf } = this.flags;
    if (dotTakesAll) return () => true;
    return isCrlf ? (letter) => letter !== '\n' && letter !== '\r' : (letter) => letter !== '\n';
  }

  private escape(): Pattern {
    const isByte = this.cursor.ahead(/^x/) !== undefined;
    const found = escape(this.cursor, this.flags);
    if (found.kind === 'assertion') return assertion(found.assertion);
    if (found.kind === 'set') return this.set(found.set);
    if (isByte && this.flags.isAscii && found.letter > '\x7f' && found.letter <= '\xff') throw this.notUnicode();
    return this.letter(found.letter);
  }

  private letter(letter: string): Pattern {
    const { ignoresCase, isAscii } = this.flags;
    if (!isAscii || !ignoresCase) return { kind: 'letter', letter: oneLetter(letter, ignoresCase) };
    const { fits } = oneLetter(letter, letter <= '\x7f');
    return { kind: 'letter', letter: { fits: (other) => fits(other) && other <= '\x7f' === letter <= '\x7f' } };
  }

  /** With `(?-u)` a class matches bytes, and those above ASCII are not letters: such a class is refused. */
  private set(set: LetterTest): Pattern {
    if (!this.flags.isAscii) return { kind: 'letter', letter: { fits: set } };
    if (BYTES_BEYOND_ASCII.some(set)) throw this.notUnicode();
    return { kind: 'letter', letter: { fits: (letter) => letter <= '\x7f' && set(letter) } };
  }

  private notUnicode(): Error {
    return this.cursor.malformed('pattern can match invalid UTF-8');
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

  /**
   * Reads the part after `(?`: a name, or flags; true if it contains only flags, which apply to the rest of the group.
   */
  private groupHead(): boolean {
    const { cursor } = this;
    if (cursor.ahead(/^<?[=!]/) !== undefined) {
      throw cursor.malformed('look-around, including look-ahead and look-behind, is not supported');
    }
    const [opening, name = ''] = cursor.ahead(/^P?<([\p{Alphabetic}_][\p{Alphabetic}\p{N}_.[\]]*)>/u) ?? [];
    if (opening !== undefined) {
      if (this.names.has(name)) throw cursor.malformed('duplicate capture group name');
      this.names.add(name);
      cursor.at += opening.length;
      return false;
    }
    const [whole, changes = '', end] = cursor.ahead(/^([a-zA-Z-]*)([:)])/) ?? [];
    if (whole === undefined) throw cursor.malformed('unrecognized flag');
    if (end === ')' && changes === '') throw cursor.malformed('missing flags in group');
    this.flags = changedFlags(this.flags, changes, cursor);
    cursor.at += whole.length;
    return end === ')';
  }

  private repeated(item: Pattern): Pattern {
    let result = item;
    for (let times = 0; ; times += 1) {
      if (this.flags.isSpaced) this.cursor.skipBlank();
      const bounds = this.bounds();
      if (bounds === undefined) return result;
      // Flags alone cannot be repeated.
      if (item.kind === 'empty') throw this.cursor.malformed('repetition operator missing expression');
      if (this.depth + times > DEEPEST) throw this.cursor.malformed('exceeded the maximum nesting depth');
      this.cursor.take('?');
      result = { kind: 'repeat', item: result, ...bounds };
    }
  }

  private bounds(): { from: number; to: number } | undefined {
    const { cursor } = this;
    if (cursor.take('*')) return { from: 0, to: Infinity };
    if (cursor.take('+')) return { from: 1, to: Infinity };
    if (cursor.take('?')) return { from: 0, to: 1 };
    if (!cursor.take('{')) return undefined;
    const from = this.count();
    let to = from;
    if (cursor.take(',')) {
      if (this.flags.isSpaced) cursor.skipBlank();
      to = cursor.next === '}' ? Infinity : this.count();
    }
    if (!cursor.take('}')) throw cursor.malformed('unclosed counted repetition');
    if (to < from) throw cursor.malformed('invalid repetition count range, the start must be <= the end');
    return { from, to };
  }

  private count(): number {
    const { cursor } = this;
    if (this.flags.isSpaced) cursor.skipBlank();
    const [whole, digits = ''] = cursor.ahead(/^\p{White_Space}*(\d*)\p{White_Space}*/u) ?? [];
    cursor.at += whole?.length ?? 0;
    if (cursor.isAtEnd) throw cursor.malformed('unclosed counted repetition');
    if (digits === '') throw cursor.malformed('repetition quantifier expects a valid decimal');
    if (Number(digits) > LARGEST_COUNT) throw cursor.malformed('decimal literal invalid');
    return Number(digits);
  }
}

const BYTES_BEYOND_ASCII = Array.from({ length: 0x80 }, (_, byte) => String.fromCodePoint(byte + 0x80));

const assertion = (kind: Assertion): Pattern => ({ kind: 'assert', assertion: kind });
