/**
 * The parts of a parsed pattern.
 *
 * Only what determines whether a name matches: groups are dropped, because nothing is captured.
 */
export type Pattern =
  | { readonly kind: 'empty' }
  | { readonly kind: 'letter'; readonly letter: Letter }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'either'; readonly items: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly item: Pattern; readonly from: number; readonly to: number };

/** One code point: whether it matches, and which it is if only one does. */
export interface Letter {
  readonly fits: (letter: string) => boolean;
  readonly only?: string;
}

/**
 * A condition between two letters. `start` and `end` are those of the text or, as `lineStart` and `lineEnd`, of a line;
 * a line ends with `\n` or, for the kinds with `Crlf`, with `\r`, `\n` or both. `word` is either border of a word, a
 * half border depends on one side only.
 */
export type Assertion =
  | { readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'lineStartCrlf' | 'lineEndCrlf' }
  | {
      readonly kind: 'word' | 'notWord' | 'wordStart' | 'wordEnd' | 'wordStartHalf' | 'wordEndHalf';
      /** Whether only ASCII letters make words: `(?-u)`. */
      readonly isAscii: boolean;
    };

/** The text is not a valid pattern; the message is that of Torc's regex library where it is known. */
export class PatternMalformed extends Error {
  override readonly name = 'PatternMalformed';
}
