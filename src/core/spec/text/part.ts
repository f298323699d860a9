/** A part of a value's text: as it is written there, and its number, from 0, among the parts that are written alike. */
export interface Part {
  readonly text: string;
  readonly number: number;
}

// Each part counts those before it that are alike. From here on a part has the place of the whole text: nobody looks at so
// many mistakes in one text, and a text of a hundred thousand would take minutes.
export const MOST_COUNTED = 100;

/** The part of a value's text that begins at a position. */
export function partAt(whole: string, at: number, text: string): Part {
  let number = 0;
  for (let found = whole.indexOf(text); found >= 0 && found < at; found = whole.indexOf(text, found + 1)) {
    if (number === MOST_COUNTED) break;
    number += 1;
  }
  return { text, number };
}
