import type { Cursor } from './cursor.ts';
import { escape } from './escape.ts';
import type { Flags } from './flags.ts';
import { escaped, inverse, knownSet, posixSet, type LetterTest } from './letters.ts';

const DEEPEST = 250;

/**
 * The set of letters of a bracketed class with its nested classes, after its opening bracket. Throws
 * `PatternMalformed`.
 */
export const bracketedClass = (cursor: Cursor, flags: Flags): LetterTest => new ClassReader(cursor, flags).read();

class ClassReader {
  private depth = 0;
  private readonly cursor: Cursor;
  private readonly flags: Flags;

  constructor(cursor: Cursor, flags: Flags) {
    this.cursor = cursor;
    this.flags = flags;
  }

  read(): LetterTest {
    const { cursor } = this;
    this.depth += 1;
    if (this.depth > DEEPEST) throw cursor.malformed('exceeded the maximum nesting depth');
    const isNegated = cursor.take('^');
    let members = new Members(this.flags.ignoresCase);
    let combine: (right: LetterTest) => LetterTest = (right) => right;
    this.skipBlank();
    // A bracket in the first position is a letter, as are leading hyphens.
    while (this.sees('-')) members.letter(this.taken('-'));
    if (members.isEmpty && this.sees(']')) members.letter(this.taken(']'));
    for (;;) {
      this.skipBlank();
      if (cursor.isAtEnd) throw cursor.malformed('unclosed character class');
      if (cursor.take(']')) break;
      const operator = cursor.ahead(/^(?:&&|--|~~)/)?.[0];
      if (operator === undefined) {
        this.member(members);
        continue;
      }
      cursor.take(operator);
      const left = combine(members.set());
      combine = (right) => OPERATORS[operator]?.(left, right) ?? left;
      members = new Members(this.flags.ignoresCase);
    }
    this.depth -= 1;
    const set = combine(members.set());
    return isNegated ? inverse(set) : set;
  }

  private member(members: Members): void {
    const { cursor, flags } = this;
    const [whole, inverted, name = ''] = cursor.ahead(/^\[:(\^?)([^:\]]*):\]/) ?? [];
    const posix = whole === undefined ? undefined : posixSet(name, inverted === '^', flags.ignoresCase);
    if (whole !== undefined && posix !== undefined) {
      cursor.at += whole.length;
      members.add(posix);
      return;
    }
    if (cursor.take('[')) return members.add(this.read());
    const from = this.one();
    this.skipBlank();
    if (cursor.isAtEnd) throw cursor.malformed('unclosed character class');
    if (!this.sees('-') || this.isHyphenLast())
      return typeof from === 'string' ? members.letter(from) : members.add(from);
    this.taken('-');
    this.skipBlank();
    const to = this.one();
    if (typeof from !== 'string' || typeof to !== 'string')
      throw cursor.malformed('invalid range boundary, must be a literal');
    if ((to.codePointAt(0) ?? 0) < (from.codePointAt(0) ?? 0))
      throw cursor.malformed('invalid character class range, the start must be <= the end');
    members.range(from, to);
  }

  /** A letter, or the set of an escape. */
  private one(): string | LetterTest {
    const { cursor, flags } = this;
    if (cursor.isAtEnd) throw cursor.malformed('unclosed character class');
    if (!cursor.take('\\')) return this.allowed(cursor.letter());
    const found = escape(cursor, flags);
    if (found.kind === 'assertion') throw cursor.malformed('invalid escape sequence found in character class');
    return found.kind === 'letter' ? this.allowed(found.letter) : found.set;
  }

  private allowed(letter: string): string {
    if (this.flags.isAscii && letter > '\x7f') throw this.cursor.malformed('Unicode not allowed here');
    return letter;
  }

  /** Whether the hyphen at this position does not mark a range: `[a-]`, and `[a--b]` subtracts letters. */
  private isHyphenLast(): boolean {
    const { cursor, flags } = this;
    const rest = flags.isSpaced
      ? cursor.ahead(/^-(?:\p{White_Space}|#[^\n]*(?:\n|$))*[\]-]/u)
      : cursor.ahead(/^-[\]-]/);
    return rest !== undefined;
  }

  private sees(sign: string): boolean {
    return this.cursor.next === sign;
  }

  private taken(sign: string): string {
    this.cursor.take(sign);
    return sign;
  }

  private skipBlank(): void {
    if (this.flags.isSpaced) this.cursor.skipBlank();
  }
}

const OPERATORS: Readonly<Record<string, (left: LetterTest, right: LetterTest) => LetterTest>> = {
  '&&': (left, right) => (letter) => left(letter) && right(letter),
  '--': (left, right) => (letter) => left(letter) && !right(letter),
  '~~': (left, right) => (letter) => left(letter) !== right(letter),
};

/** The members between the operators of a class. */
class Members {
  private source = '';
  private readonly sets: LetterTest[] = [];
  private readonly ignoresCase: boolean;

  constructor(ignoresCase: boolean) {
    this.ignoresCase = ignoresCase;
  }

  get isEmpty(): boolean {
    return this.source === '' && this.sets.length === 0;
  }

  letter(letter: string): void {
    this.source += escaped(letter);
  }

  range(from: string, to: string): void {
    this.source += `${escaped(from)}-${escaped(to)}`;
  }

  add(set: LetterTest): void {
    this.sets.push(set);
  }

  set(): LetterTest {
    const sets = this.source === '' ? this.sets : [knownSet(this.source, this.ignoresCase), ...this.sets];
    const [only] = sets;
    return sets.length === 1 && only !== undefined ? only : (letter) => sets.some((set) => set(letter));
  }
}
