/** A part of a value's text: as written there, and its number, from 0, among identical parts. */
export interface TextPart {
  readonly text: string;
  readonly number: number;
}

// For each part the identical ones before it are counted. Beyond this number a part has the place of the whole text: so
// many errors in one text are not read one by one, and a text of a hundred thousand would take minutes.
export const MOST_COUNTED = 100;

/** The part of a value's text that begins at a position. */
export function partAt(whole: string, at: number, text: string): TextPart {
  let number = 0;
  for (let found = whole.indexOf(text); found >= 0 && found < at; found = whole.indexOf(text, found + 1)) {
    if (number === MOST_COUNTED) break;
    number += 1;
  }
  return { text, number };
}
