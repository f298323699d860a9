/**
 * Ranges of numbers with a point, in exact decimal arithmetic: `0:0.3:0.1` is 0, 0.1, 0.2, 0.3.
 *
 * The original adds binary steps up and gets 0.30000000000000004, which then stands in names of jobs and files (ADR 20).
 */

// What the original allows a sum of steps to miss the end by: 10^-10.
const TOLERANCE_DIGITS = 10;

// 10^400 is past the largest number with a point; more digits only cost time.
const MOST_DIGITS = 400;

export interface DecimalRange {
  readonly length: number;
  at(index: number): number;
}

/** The numbers from `start` to `end`, both included; nothing for a text that is no decimal number, such as `inf`. */
export function decimalRange(start: string, end: string, step: string): DecimalRange | undefined {
  const parsed = [start, end, step].map(decimalOf);
  const [from, to, by] = parsed;
  if (from === undefined || to === undefined || by === undefined || by.units === 0n) return undefined;
  const digits = Math.max(from.digits, to.digits, by.digits, TOLERANCE_DIGITS);
  const [first, last, stride] = [from, to, by].map(
    (number) => number.units * 10n ** BigInt(digits - number.digits),
  ) as [bigint, bigint, bigint];
  const tolerance = 10n ** BigInt(digits - TOLERANCE_DIGITS);
  const reach = stride > 0n ? last - first + tolerance : first - last + tolerance;
  const length = reach < 0n ? 0 : Number(reach / (stride > 0n ? stride : -stride)) + 1;
  // The first is the text itself: -0.0 keeps its sign, as in the original.
  const at = (index: number): number =>
    index === 0 ? Number(start) : Number(`${first + BigInt(index) * stride}e-${digits}`);
  return { length, at };
}

/** A decimal number as a whole number of 10^-digits. */
function decimalOf(text: string): { readonly units: bigint; readonly digits: number } | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = Number(exponent);
  if (whole + fraction === '' || Math.abs(shift) > MOST_DIGITS || fraction.length > MOST_DIGITS) return undefined;
  const units = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const digits = fraction.length - shift;
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}
