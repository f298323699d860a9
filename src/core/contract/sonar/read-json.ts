import { exactUint } from './extended-uint.ts';

/**
 * Reads JSON without losing anything: integers of any size are exact, and duplicate members are reported. It is
 * slower than JSON.parse, which is used where no number may lose digits.
 */

/** An integer that is written with a fraction or an exponent: `1.0`, `1e3`. Readers of 64-bit integers refuse it. */
export class FractionText {
  readonly text: string;
  readonly value: number;
  constructor(text: string) {
    this.text = text;
    this.value = Number(text);
  }
}

export class JsonMalformed extends Error {
  /** Offset in the text. */
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = 'JsonMalformed';
    this.at = at;
  }
}

/** Deeper nesting is refused: the format has nine levels. */
export const GREATEST_DEPTH = 64;

/** A number with more digits than a double keeps may stand in the text: only the careful reader reads it exactly. */
export const mayLoseDigits = (text: string): boolean => /\d{16}/.test(text);

/**
 * The value of a JSON text.
 *
 * Throws: `JsonMalformed`. `onDuplicate` gets the name of each member that stands twice; the last one counts.
 */
export function readJson(text: string, onDuplicate: (name: string) => void = () => {}): unknown {
  const reader = new Reader(text, onDuplicate);
  return reader.whole();
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = /[ \t\r\n]*/y;

class Reader {
  readonly #text: string;
  readonly #onDuplicate: (name: string) => void;
  #at = 0;

  constructor(text: string, onDuplicate: (name: string) => void) {
    this.#text = text;
    this.#onDuplicate = onDuplicate;
  }

  whole(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail('the end');
    return value;
  }

  #value(depth: number): unknown {
    if (depth > GREATEST_DEPTH) throw new JsonMalformed(`nested more than ${GREATEST_DEPTH} levels deep`, this.#at);
    this.#space();
    const next = this.#text[this.#at];
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#array(depth);
    if (next === '"') return this.#string();
    for (const [word, value] of WORDS)
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    return this.#number();
  }

  #object(depth: number): unknown {
    const members: Record<string, unknown> = {};
    this.#at++;
    if (this.#takes('}')) return members;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail('the name of a member');
      const name = this.#string();
      if (!this.#takes(':')) this.#fail('":"');
      const value = this.#value(depth + 1);
      if (Object.hasOwn(members, name)) this.#onDuplicate(name);
      // An assignment to __proto__ would set the prototype.
      Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('"," or "}"');
    return members;
  }

  #array(depth: number): unknown {
    const items: unknown[] = [];
    this.#at++;
    if (this.#takes(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('"," or "]"');
    return items;
  }

  /** Read by hand: a topology of several hundred KB is one string, and regular expressions keep a stack. */
  #string(): string {
    const start = this.#at;
    let isEscaped = false;
    for (let at = start + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return isEscaped ? this.#unescaped(start) : this.#text.slice(start + 1, at);
      }
      if (code < 0x20) {
        this.#at = at;
        this.#fail('a string without control characters');
      }
      if (code === BACKSLASH) {
        isEscaped = true;
        at++;
      }
    }
    this.#at = this.#text.length;
    this.#fail('the closing quote of a string');
  }

  #unescaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      this.#fail('a string whose escapes are valid');
    }
  }

  #number(): unknown {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text);
    if (found === null) this.#fail('a value');
    this.#at = NUMBER.lastIndex;
    if (found[1] === undefined && found[2] === undefined)
      return found[0].length < 16 ? Number(found[0]) : exactUint(BigInt(found[0]));
    const value = Number(found[0]);
    return Number.isInteger(value) ? new FractionText(found[0]) : value;
  }

  #takes(sign: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #fail(expected: string): never {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    throw new JsonMalformed(`expected ${expected}, found ${rest === '' ? 'the end' : JSON.stringify(rest)}`, this.#at);
  }
}

const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
