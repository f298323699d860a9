/**
 * Prints numbers as Rust does, because names of jobs and files contain them.
 *
 * `{x}` is the shortest text that parses to the same number, never with an exponent and never with `.0` at the end;
 * `{x:.2f}` is the exact binary value rounded to this many digits, ties to even.
 */

/** The shortest text of a number: 0.0000001, 1000000000000000000000, `NaN`, `inf`. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0';
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  if (exponent === '') return String(value);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * A number with this many digits after the point, its exact value rounded half to even: 2.5 gives `2`, 0.125 `0.12`.
 */
export function fixedText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return floatText(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const { mantissa, exponent } = partsOf(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(digits);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : halfToEven(scaled, BigInt(-exponent));
  const text = rounded.toString().padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The number as a whole number times a power of two, exactly. */
function partsOf(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const stored = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return stored === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: stored - 1075 };
}

function halfToEven(value: bigint, shift: bigint): bigint {
  const whole = value >> shift;
  const rest = value - (whole << shift);
  const half = 1n << (shift - 1n);
  const isUp = rest > half || (rest === half && (whole & 1n) === 1n);
  return isUp ? whole + 1n : whole;
}
