import { Unreadable, type TextPlace, type ParsedText } from './place.ts';

/** A value of JSON, with the numbers that its rules make. */
export type JsonValue<N> =
  | null
  | boolean
  | string
  | N
  | readonly JsonValue<N>[]
  | { readonly [key: string]: JsonValue<N> };

export interface JsonRules<N> {
  /** Accepts JSON5; else only RFC 8259. */
  readonly isJson5?: boolean;
  /** Deeper texts are refused: a stack overflow would end the process. */
  readonly greatestDepth: number;
  /** The number of a literal; `isFloat` if it was written with a point or an exponent. */
  readonly numberOf: (literal: string, value: number, isFloat: boolean) => JsonValue<N>;
  /** Called for each key that an object has twice; the last one counts. */
  readonly onDuplicate: (key: string, at: number) => void;
}

/**
 * JSON and JSON5, read by one recursive descent parser.
 *
 * It is our own, because `JSON.parse` and the json5 package do not provide three things: all digits of a number and
 * whether it was written as `1.0`, which keys are duplicate, and the position of each value.
 *
 * Throws: `Unreadable`.
 */
export function readJson<N>(text: string, rules: JsonRules<N>): ParsedText<JsonValue<N>> {
  // Places cost several times the values themselves, and a valid file never needs them.
  const places = () => {
    const parser = new Parser(text, { ...rules, onDuplicate: () => {} }, true);
    parser.document();
    return parser.place;
  };
  return { value: new Parser(text, rules, false).document(), places };
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NUMBER_5 = /[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const BARE_KEY = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const BLANK = /[ \t\r\n]*/y;
const BLANK_5 = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' };
const WORDS: readonly (readonly [string, null | boolean])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class Parser<N> {
  /** Of the value that was read last. */
  place: TextPlace = { at: 0 };
  private at = 0;
  private depth = 0;

  private readonly text: string;
  private readonly rules: JsonRules<N>;
  private readonly isStrict: boolean;
  private readonly keepsPlaces: boolean;

  constructor(text: string, rules: JsonRules<N>, keepsPlaces: boolean) {
    this.text = text;
    this.rules = rules;
    this.isStrict = rules.isJson5 !== true;
    this.keepsPlaces = keepsPlaces;
  }

  document(): JsonValue<N> {
    this.blank();
    const value = this.item();
    this.blank();
    if (this.at < this.text.length) throw this.unexpected('the end');
    return value;
  }

  private item(): JsonValue<N> {
    const at = this.at;
    const first = this.text[at];
    if (first === '{' || first === '[') {
      this.depth += 1;
      const greatest = this.rules.greatestDepth;
      if (this.depth > greatest) throw new Unreadable(`nested more than ${greatest} deep`, at);
      const value = first === '{' ? this.map() : this.list();
      this.depth -= 1;
      return value;
    }
    const value = first === '"' || (first === "'" && !this.isStrict) ? this.string(first) : this.scalar();
    if (this.keepsPlaces) this.place = { at, end: this.at };
    return value;
  }

  private map(): JsonValue<N> {
    const at = this.at;
    const value: Record<string, JsonValue<N>> = {};
    const fields = this.keepsPlaces ? new Map<string, TextPlace>() : undefined;
    let isMore = this.opens('}');
    while (isMore) {
      const keyAt = this.at;
      const key = this.key();
      this.blank();
      if (this.text[this.at] !== ':') throw this.unexpected('`:`');
      this.at += 1;
      this.blank();
      const field = this.item();
      if (Object.hasOwn(value, key)) this.rules.onDuplicate(key, keyAt);
      setField(value, key, field);
      fields?.set(key, { ...this.place, keyAt });
      isMore = this.continues('}');
    }
    if (fields !== undefined) this.place = { at, fields };
    return value;
  }

  private list(): JsonValue<N> {
    const at = this.at;
    const value: JsonValue<N>[] = [];
    const items: TextPlace[] = [];
    let isMore = this.opens(']');
    while (isMore) {
      value.push(this.item());
      if (this.keepsPlaces) items.push(this.place);
      isMore = this.continues(']');
    }
    if (this.keepsPlaces) this.place = { at, items };
    return value;
  }

  /** Passes an opening bracket: whether a value stands before the closing one. */
  private opens(close: string): boolean {
    this.at += 1;
    this.blank();
    if (this.text[this.at] !== close) return true;
    this.at += 1;
    return false;
  }

  /** Passes what stands after a value: whether another one follows. JSON5 allows a trailing comma. */
  private continues(close: string): boolean {
    this.blank();
    const next = this.text[this.at];
    if (next !== ',' && next !== close) throw this.unexpected(`\`,\` or \`${close}\``);
    this.at += 1;
    if (next === close) return false;
    this.blank();
    if (this.isStrict || this.text[this.at] !== close) return true;
    this.at += 1;
    return false;
  }

  private key(): string {
    const first = this.text[this.at];
    if (first === '"' || (first === "'" && !this.isStrict)) return this.string(first);
    const bare = this.isStrict ? undefined : this.match(BARE_KEY);
    if (bare === undefined) throw this.unexpected('a key');
    return bare;
  }

  private scalar(): JsonValue<N> {
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const literal = this.match(this.isStrict ? NUMBER : NUMBER_5);
    if (literal === undefined) throw this.unexpected('a value');
    const { numberOf } = this.rules;
    if (!this.isStrict && /^[+-]?0[xX]/.test(literal)) {
      const size = Number(literal.replace(/^[+-]/, ''));
      return numberOf(literal, literal.startsWith('-') ? -size : size, false);
    }
    const plain = literal.startsWith('+') ? literal.slice(1) : literal;
    return numberOf(plain, Number(plain), /[.eE]/.test(plain));
  }

  /** Read by hand: a topology of several hundred KB is one string, and regular expressions keep a stack. */
  private string(quote: string): string {
    const { text } = this;
    const end = quote.charCodeAt(0);
    const start = this.at;
    let result = '';
    let from = start + 1;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === end) {
        this.at = at + 1;
        return result + text.slice(from, at);
      }
      if (code === BACKSLASH) {
        result += text.slice(from, at);
        this.at = at + 1;
        result += this.escape();
        from = this.at;
        at = from;
        continue;
      }
      if (Number.isNaN(code)) throw new Unreadable('unterminated string', start);
      if (code < SPACE && (this.isStrict || code === NEWLINE || code === RETURN))
        throw new Unreadable('control character in a string', at);
      at += 1;
    }
  }

  private escape(): string {
    const letter = this.text[this.at] ?? '';
    this.at += 1;
    const width = letter === 'u' ? 4 : letter === 'x' && !this.isStrict ? 2 : 0;
    if (width > 0) {
      const digits = this.text.slice(this.at, this.at + width);
      if (digits.length < width || !/^[0-9a-fA-F]+$/.test(digits)) throw this.unexpected(`${width} hexadecimal digits`);
      this.at += width;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (this.isStrict && !'"\\/bfnrt'.includes(letter)) throw new Unreadable('invalid escape', this.at - 2);
    if (letter === '\r' && this.text[this.at] === '\n') this.at += 1;
    if ('\r\n\u2028\u2029'.includes(letter)) return '';
    return ESCAPES[letter] ?? letter;
  }

  private blank(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > SPACE && (this.isStrict || (code < DELETE && code !== SLASH))) return;
    this.match(this.isStrict ? BLANK : BLANK_5);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private unexpected(wanted: string): Unreadable {
    const code = this.text.codePointAt(this.at);
    const sign = code === undefined ? '' : String.fromCodePoint(code);
    const found = code === undefined ? 'the end' : `\`${code < SPACE ? JSON.stringify(sign).slice(1, -1) : sign}\``;
    return new Unreadable(`expected ${wanted}, found ${found}`, this.at);
  }
}

const [NEWLINE, RETURN, SPACE, SLASH, BACKSLASH, DELETE] = [0x0a, 0x0d, 0x20, 0x2f, 0x5c, 0x7f];

/** Sets a field as in JSON: `__proto__` is an ordinary key. */
export function setField<V>(target: Record<string, V>, key: string, value: V): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
