import { PatternMalformed } from './syntax.ts';

/** Where the reading of a pattern stands. */
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

  /** Takes one code point. */
  letter(): string {
    const letter = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += letter.length;
    return letter;
  }

  /** Takes a sign if it stands here. */
  take(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  /** What stands here, if it has that form (`^` is here); nothing is taken. */
  ahead(form: RegExp): RegExpExecArray | undefined {
    return form.exec(this.text.slice(this.at)) ?? undefined;
  }

  /** Under `(?x)`: passes over blanks and comments. */
  skipBlank(): void {
    this.at += this.ahead(/^(?:\p{White_Space}|#[^\n]*)+/u)?.[0].length ?? 0;
  }

  malformed(what: string): PatternMalformed {
    return new PatternMalformed(`regex parse error: ${what} at position ${this.at}`);
  }
}
