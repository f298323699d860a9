import type { TextPlace } from '../../json/place.ts';
import type { ValuePath } from '../problems/problems.ts';
import { MOST_COUNTED, type TextPart } from '../problems/text-part.ts';

/** Position of the value at `path`, or of the nearest value that contains it. */
export function offsetOf(root: TextPlace, path: ValuePath, atKey: boolean): number {
  let place = root;
  let nearest = root.at;
  for (const step of path) {
    const next = typeof step === 'number' ? place.items?.[step] : place.fields?.get(step);
    if (next === undefined) return nearest;
    place = next;
    if (place.at >= 0) nearest = place.at;
  }
  return atKey ? (place.keyAt ?? nearest) : nearest;
}

/**
 * Position of a part of the text at `path`; undefined if the file does not contain it literally, because of an escape
 * or a line break within it, or because a variable was inserted.
 */
export function offsetOfPart(
  source: string,
  root: TextPlace,
  path: ValuePath,
  { text, number }: TextPart,
): number | undefined {
  if (number >= MOST_COUNTED) return undefined;
  let place: TextPlace | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') place = place?.items?.[step];
    // A text that stands for an object is the text of its field.
    else if (place?.fields !== undefined || place?.end === undefined) place = place?.fields?.get(step);
  }
  if (place?.end === undefined || place.at < 0) return undefined;
  let found = source.indexOf(text, place.at);
  for (let passed = 0; passed < number && found >= 0; passed += 1) found = source.indexOf(text, found + 1);
  return found < 0 || found + text.length > place.end ? undefined : found;
}

/**
 * Line and column of a position, both counted from 1. Every line break of the formats ends a line; a byte order mark is
 * not a column.
 */
export function lineFinder(text: string): (offset: number) => { line: number; column: number } {
  const starts = [text.startsWith('\ufeff') ? 1 : 0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g)) starts.push(index + lineBreak.length);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(0, offset - (starts[low] ?? 0)) + 1 };
  };
}
