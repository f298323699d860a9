import { PatternMalformed } from './syntax.ts';

/** The position of the parser in a pattern. */
export class Cursor {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  get next(): string | undefined {
    return this.text[this.at];
  }

  /** Consumes one code point. */
  letter(): string {
    const letter = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += letter.length;
    return letter;
  }

  /** Consumes a character if it is at this position. */
  take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  /** The text at this position, if it has that form (`^` is here); nothing is consumed. */
  ahead(form: RegExp): RegExpExecArray | undefined {
    return form.exec(this.text.slice(this.at)) ?? undefined;
  }

  /** With `(?x)`: skips blanks and comments. */
  skipBlank(): void {
    this.at += this.ahead(/^(?:\p{White_Space}|#[^\n]*)+/u)?.[0].length ?? 0;
  }

  malformed(what: string): PatternMalformed {
    return new PatternMalformed(`regex parse error: ${what} at position ${this.at}`);
  }
}
