import { readJson, type JsonValue } from '../../json/read-json.ts';
import { exactUint } from './extended-uint.ts';
import type { Uint } from './kinds.ts';

/** An integer that is written with a fraction or an exponent: `1.0`, `1e3`. Readers of 64-bit integers refuse it. */
export class FractionText {
  readonly text: string;
  readonly value: number;
  constructor(text: string, value: number) {
    this.text = text;
    this.value = value;
  }
}

/** The format has nine levels. */
const GREATEST_DEPTH = 64;

/** A number with more digits than a double keeps may stand in the text: only the careful reader reads it exactly. */
export const mayLoseDigits = (text: string): boolean => /\d{16}/.test(text);

/**
 * The value of a JSON text, with integers of any size. It is slower than JSON.parse, which is used where no number may
 * lose digits.
 *
 * Throws: `Unreadable`. `onDuplicate` gets the name of each member that stands twice; the last one counts.
 */
export const readSonarJson = (text: string, onDuplicate: (name: string) => void = () => {}): unknown =>
  readJson(text, { greatestDepth: GREATEST_DEPTH, numberOf, onDuplicate }).value;

function numberOf(literal: string, value: number, isFloat: boolean): JsonValue<Uint | FractionText> {
  if (isFloat) return Number.isInteger(value) ? new FractionText(literal, value) : value;
  return literal.length < 16 ? value : exactUint(BigInt(literal));
}
