/** `1,204`: a whole number with its thousands apart. By hand, as the first `toLocaleString` of a process takes 30 ms. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 job`, `3 jobs`, `1,204 jobs`. */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${grouped(count)} ${count === 1 ? thing : things}`;

/** `1,204`, `12.3`, `0.00123`: three digits are enough to compare hours. */
export const hoursText = (hours: number): string =>
  hours >= 100 ? grouped(Math.round(hours)) : String(Number(hours.toPrecision(3)));

/** The first few, and the number of the others: `a, b, c, d, e and 7 more`. */
export function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, 5).join(', ');
  return texts.length > 5 ? `${shown} and ${texts.length - 5} more` : shown;
}
