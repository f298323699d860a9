import { greatest } from '../../core/quantity/extremes.ts';
import type { TimeSpan } from './window.ts';

/** Bars in as few lanes as they need so that none covers another; `leastMs` is the length of the shortest bar. In the order of their starts. */
export function lanesOf(bars: readonly TimeSpan[], leastMs: number): number[] {
  const ends: number[] = [];
  return bars.map(({ fromMs, untilMs }) => {
    const free = ends.findIndex((end) => end <= fromMs);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = Math.max(untilMs, fromMs + leastMs);
    return lane;
  });
}

/** Where the line stands on which an area stands: the marks are below it. */
const LINE = 0.86;

/** Values as an area: a bin is one unit wide, and the greatest value as high as there is room. What is not zero can be seen. */
export function areaOf(values: readonly number[]): string {
  const most = greatest(values, 0);
  let path = `M0 ${LINE}`;
  let before = LINE;
  for (const [bin, value] of values.entries()) {
    const y = value === 0 ? LINE : Math.round(100 * (LINE - 0.06 - (value / most) * 0.76)) / 100;
    if (y !== before) path += `H${bin}V${y}`;
    before = y;
  }
  return `${path}H${values.length}V${LINE}Z`;
}

/** Bins in which something failed, as marks below the line. */
export const failureMarks = (failed: readonly number[]): string =>
  failed.map((count, bin) => (count === 0 ? '' : `M${bin} .89h1V1h-1z`)).join('');
