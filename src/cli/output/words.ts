import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';

/** Numbers and times in readable form. */

/** An amount of memory for people: `394 MiB`; nothing where it is not known. */
export const memoryText = (bytes: number | null | undefined): string =>
  bytes === undefined || bytes === null ? '' : sizeText(bytes);

/** The same for programs, in JSON and CSV, as Torc writes it: `1.5 GB`, where a GB is 2^30 bytes. */
export function bytesText(bytes: number | null | undefined): string {
  if (bytes === undefined || bytes === null) return '';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  // A value that one decimal would round up to 1024 is shown in the next unit.
  while (value >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** A span of time; nothing where it is not known. */
export const secondsText = (seconds: number | null | undefined): string =>
  seconds === undefined || seconds === null || !Number.isFinite(seconds) ? '' : timeText(seconds);

/** Seconds since a time of the server or of a runner, whose clock may be ahead of ours: never negative. */
export const ageSeconds = (time: string, nowMs: number): number => Math.max(0, (nowMs - Date.parse(time)) / 1000);

export const percentText = (percent: number | null | undefined) =>
  percent === undefined || percent === null ? '' : `${percent.toFixed(1)}%`;

/** Seconds in the precision of plans: `<1m`, `45m`, `1h 30m`, `3d 1h`. */
export function roughText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return seconds > 0 ? '<1m' : '0m';
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor((minutes % 1440) / 60), 'h'],
    [minutes % 60, 'm'],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(from, from + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
