/** Numbers and times in readable form. */

/** `1.5 GB`: in units of 1024, one decimal. */
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

/** `2h 05m`, `3m 12s`, `4.2s`, `85ms`. */
export function secondsText(seconds: number | null | undefined): string {
  if (seconds === undefined || seconds === null || !Number.isFinite(seconds)) return '';
  // The bounds are where rounding would reach the next unit: never `1000ms` or `60.0s`.
  if (seconds < 0.9995) return `${Math.max(0, Math.round(seconds * 1000))}ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86_400)}d ${two(Math.floor((whole % 86_400) / 3600))}h`;
}

/** Seconds since a time of the server or of a runner, whose clock may be ahead of ours: never negative. */
export const ageSeconds = (time: string, nowMs: number): number => Math.max(0, (nowMs - Date.parse(time)) / 1000);

/** `1 job`, `3 jobs`. */
export const counted = (count: number, thing: string, things = `${thing}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? thing : things}`;

export const percentText = (percent: number | null | undefined) =>
  percent === undefined || percent === null ? '' : `${percent.toFixed(1)}%`;

/** The first few, and the number of the others. */
export function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, 5).join(', ');
  return texts.length > 5 ? `${shown} and ${texts.length - 5} more` : shown;
}

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
