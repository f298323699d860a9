/**
 * The place of a value in a text: its position, that of its key, the places within it. -1 if nothing is written. `end`
 * is the position after a text or number.
 */
export interface TextPlace {
  readonly at: number;
  readonly end?: number;
  readonly keyAt?: number;
  readonly fields?: ReadonlyMap<string, TextPlace>;
  readonly items?: readonly TextPlace[];
}

/** A parsed text: its value, and on demand the places of its values. */
export interface ParsedText<V> {
  readonly value: V;
  readonly places: () => TextPlace;
}

/** The text is not of this format. */
export class Unreadable extends Error {
  readonly offset: number | undefined;

  constructor(message: string, offset?: number, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Unreadable';
    this.offset = offset;
  }
}
