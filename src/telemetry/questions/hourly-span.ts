import { HOUR_SECONDS } from '../store/days.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** The hours of a window of which no samples are left, from the first to the end of the last; undefined where there are none. */
export async function hourlySpan(
  source: TelemetryRows,
  window: AskedWindow,
): Promise<{ readonly from: number; readonly until: number } | undefined> {
  if (source.hourlySpan !== undefined) return source.hourlySpan(window);
  const times = (await source.nodeHours(window)).map(({ time }) => time);
  if (times.length === 0) return undefined;
  // Hours come cluster by cluster.
  return {
    from: times.reduce((least, time) => Math.min(least, time)),
    until: times.reduce((greatest, time) => Math.max(greatest, time)) + HOUR_SECONDS,
  };
}
