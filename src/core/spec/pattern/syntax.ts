/**
 * What a pattern is made of, after reading.
 *
 * Only what is needed to say whether a name matches: groups leave no trace, for nothing is captured.
 */
export type Pattern =
  | { readonly kind: 'empty' }
  | { readonly kind: 'letter'; readonly letter: Letter }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly kind: 'either'; readonly items: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly item: Pattern; readonly from: number; readonly to: number };

/** One code point: whether it fits, and which it is when only one does. */
export interface Letter {
  readonly fits: (letter: string) => boolean;
  readonly only?: string;
}

/**
 * What must hold between two letters. `start` and `end` are those of the text or, as `lineStart` and `lineEnd`, of a
 * line; a line ends with `\n` or, for the kinds with `Crlf`, with `\r`, `\n` or both. `word` is either border of a word,
 * a half border looks at one side only.
 */
export type Assertion =
  | { readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'lineStartCrlf' | 'lineEndCrlf' }
  | {
      readonly kind: 'word' | 'notWord' | 'wordStart' | 'wordEnd' | 'wordStartHalf' | 'wordEndHalf';
      /** Whether only ASCII letters make words: `(?-u)`. */
      readonly isAscii: boolean;
    };

/** The text is no pattern, in the words that Torc's regex library would use where they are known. */
export class PatternMalformed extends Error {
  override readonly name = 'PatternMalformed';
}
