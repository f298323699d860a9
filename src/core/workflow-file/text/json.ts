import { Unreadable, type Place, type Reading } from './place.ts';
import { numberOf, type Value } from './value.ts';

/**
 * JSON and JSON5, read by one recursive descent parser.
 *
 * It is our own, because `JSON.parse` and the json5 package do not provide three things: whether a number was written
 * as `1.0`, which keys are duplicate (the last one counts), and the position of each value. `strict` accepts only RFC
 * 8259.
 */
export function readJson(
  text: string,
  strict: boolean,
  onDuplicate: (key: string, at: number) => void,
): Reading<Value> {
  const value = new Parser(text, strict, onDuplicate, false).document().value;
  // Places cost several times the values themselves, and a valid file never needs them.
  return { value, places: () => new Parser(text, strict, () => {}, true).document().place };
}

interface Found {
  readonly value: Value;
  readonly place: Place;
}

/** A workflow is never nested deeper, and a stack overflow would end the process. */
export const DEEPEST = 500;

const NO_PLACE: Place = { at: 0 };
const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const STRICT_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BARE_KEY = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const STRICT_BLANK = /[ \t\r\n]*/y;
const BLANK = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const PLAIN_PART = /[^"'\\\p{Cc}]+/uy;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' };

class Parser {
  private at = 0;
  private depth = 0;

  private readonly text: string;
  private readonly strict: boolean;
  private readonly onDuplicate: (key: string, at: number) => void;
  private readonly keepsPlaces: boolean;

  constructor(text: string, strict: boolean, onDuplicate: (key: string, at: number) => void, keepsPlaces: boolean) {
    this.text = text;
    this.strict = strict;
    this.onDuplicate = onDuplicate;
    this.keepsPlaces = keepsPlaces;
  }

  document(): Found {
    this.blank();
    const found = this.item();
    this.blank();
    if (this.at < this.text.length) throw this.unexpected('the end');
    return found;
  }

  private item(): Found {
    const at = this.at;
    const first = this.text[at];
    if (first === '{') return this.nested(() => this.map());
    if (first === '[') return this.nested(() => this.list());
    const value = first === '"' || (first === "'" && !this.strict) ? this.string(first) : this.scalar();
    return { value, place: this.keepsPlaces ? { at, end: this.at } : NO_PLACE };
  }

  private nested(read: () => Found): Found {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new Unreadable(`nested more than ${DEEPEST} deep`, this.at);
    const found = read();
    this.depth -= 1;
    return found;
  }

  private map(): Found {
    const at = this.at;
    const value: Record<string, Value> = {};
    const fields = this.keepsPlaces ? new Map<string, Place>() : undefined;
    this.sequence('}', () => {
      const keyAt = this.at;
      const key = this.key();
      this.blank();
      if (this.text[this.at] !== ':') throw this.unexpected('`:`');
      this.at += 1;
      this.blank();
      const found = this.item();
      if (Object.hasOwn(value, key)) this.onDuplicate(key, keyAt);
      setField(value, key, found.value);
      fields?.set(key, { ...found.place, keyAt });
    });
    return { value, place: fields === undefined ? NO_PLACE : { at, fields } };
  }

  private list(): Found {
    const at = this.at;
    const value: Value[] = [];
    const items: Place[] = [];
    this.sequence(']', () => {
      const found = this.item();
      value.push(found.value);
      if (this.keepsPlaces) items.push(found.place);
    });
    return { value, place: this.keepsPlaces ? { at, items } : NO_PLACE };
  }

  /** The values between brackets, separated by commas; JSON5 allows a trailing comma. */
  private sequence(close: string, read: () => void): void {
    this.at += 1;
    this.blank();
    if (this.text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      read();
      this.blank();
      const next = this.text[this.at];
      if (next !== ',' && next !== close) throw this.unexpected(`\`,\` or \`${close}\``);
      this.at += 1;
      if (next === close) return;
      this.blank();
      if (!this.strict && this.text[this.at] === close) {
        this.at += 1;
        return;
      }
    }
  }

  private key(): string {
    const first = this.text[this.at];
    if (first === '"' || (first === "'" && !this.strict)) return this.string(first);
    const bare = this.strict ? undefined : this.match(BARE_KEY);
    if (bare === undefined) throw this.unexpected('a key');
    return bare;
  }

  private scalar(): Value {
    const at = this.at;
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, at)) {
        this.at += word.length;
        return value;
      }
    }
    const literal = this.match(this.strict ? STRICT_NUMBER : NUMBER);
    if (literal === undefined) throw this.unexpected('a value');
    if (/^[+-]?0[xX]/.test(literal)) {
      const size = Number(literal.replace(/^[+-]/, ''));
      return numberOf(literal, literal.startsWith('-') ? -size : size, false);
    }
    return numberOf(literal.replace(/^\+/, ''), Number(literal), /[.eE]/.test(literal));
  }

  private string(quote: string): string {
    const start = this.at;
    this.at += 1;
    let result = '';
    for (;;) {
      result += this.match(PLAIN_PART) ?? '';
      const next = this.text[this.at];
      this.at += 1;
      if (next === quote) return result;
      if (next === undefined) throw new Unreadable('unterminated string', start);
      if (next === '\\') result += this.escape();
      else if (next === '\n' || next === '\r' || (this.strict && next < ' ')) {
        throw new Unreadable('control character in a string', this.at - 1);
      } else result += next;
    }
  }

  private escape(): string {
    const letter = this.text[this.at] ?? '';
    this.at += 1;
    const width = letter === 'u' ? 4 : letter === 'x' && !this.strict ? 2 : 0;
    if (width > 0) {
      const digits = this.text.slice(this.at, this.at + width);
      if (digits.length < width || !/^[0-9a-fA-F]+$/.test(digits)) throw this.unexpected(`${width} hexadecimal digits`);
      this.at += width;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (this.strict && !'"\\/bfnrt'.includes(letter)) throw new Unreadable('invalid escape', this.at - 2);
    if (letter === '\r' && this.text[this.at] === '\n') this.at += 1;
    if ('\r\n\u2028\u2029'.includes(letter)) return '';
    return ESCAPES[letter] ?? letter;
  }

  private blank(): void {
    this.match(this.strict ? STRICT_BLANK : BLANK);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private unexpected(wanted: string): Unreadable {
    const found =
      this.at < this.text.length ? `\`${String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)}\`` : 'the end';
    return new Unreadable(`expected ${wanted}, found ${found}`, this.at);
  }
}

const WORDS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Sets a field as in JSON: `__proto__` is an ordinary key. */
export function setField(target: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
