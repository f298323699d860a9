import { HOUR_SECONDS } from '../store/days.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** From the first to the last hour of a window that has sums and no samples any more; undefined if it has none. */
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
