import { fixedText, floatText } from './float-text.ts';

/** One value of a parameter. Whole numbers are 64-bit, so those beyond 2^53 are stored as `bigint`. */
export type ParameterValue = number | bigint | string | { readonly float: number };

const WHOLE = /^[+-]?\d+$/;
const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)$/i;
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/** The whole number in a text, within 64 bits; undefined for any other text. */
export function wholeOf(text: string): number | bigint | undefined {
  if (!WHOLE.test(text)) return undefined;
  const exact = BigInt(text.replace('+', ''));
  if (exact < SMALLEST || exact > LARGEST) return undefined;
  return exact >= -BigInt(Number.MAX_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}

/** The number in a text, including `inf` and `nan`; undefined for any other text. */
export function floatOf(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  const [, sign, word] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word === undefined) return Number(text);
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A text as whole number, otherwise as number, otherwise unchanged. */
export function valueOf(text: string): ParameterValue {
  const whole = wholeOf(text);
  if (whole !== undefined) return whole;
  const float = floatOf(text);
  return float === undefined ? text : { float };
}

/** A text that is read as a number which is printed otherwise: `007` as 7, `1.0` as 1. */
export interface Rewritten {
  readonly text: string;
  readonly value: ParameterValue;
}

/** The value of a text, and whether it is printed otherwise than it was written. */
export function readValue(text: string, onRewritten: ((found: Rewritten) => void) | undefined): ParameterValue {
  const value = valueOf(text);
  // `.5` is no name: it is meant as the number 0.5.
  const usual = text.startsWith('.') ? `0${text}` : text;
  if (onRewritten !== undefined && typeof value !== 'string' && plain(value) !== usual) onRewritten({ text, value });
  return value;
}

/** How a value is printed for `{name:format}`: unchanged, with leading zeros, or with this many digits. */
export type Printer = (value: ParameterValue) => string;

// No name has more digits; a typing error must not create a text of gigabytes.
const WIDEST = 400;

/**
 * The printer for a format: `03d` pads whole numbers with zeros, `.2f` rounds other numbers.
 *
 * Anything else, and a format on a value of the other kind, prints the plain value, as in Torc.
 */
export function printerOf(format: string | undefined): Printer {
  const width = Number(/^0(\d+)d$/.exec(format ?? '')?.[1] ?? 0);
  if (width > 0 && width <= WIDEST) return (value) => (isWhole(value) ? padded(String(value), width) : plain(value));
  const digits = Number(/^\.(\d+)f$/.exec(format ?? '')?.[1] ?? -1);
  if (digits >= 0 && digits <= WIDEST)
    return (value) => (typeof value === 'object' ? fixedText(value.float, digits) : plain(value));
  return plain;
}

const isWhole = (value: ParameterValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const plain: Printer = (value) => (typeof value === 'object' ? floatText(value.float) : String(value));

const padded = (text: string, width: number): string =>
  text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0');
