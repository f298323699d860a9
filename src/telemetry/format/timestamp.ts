/**
 * A time as Sonar's records have it: `2026-03-09T10:00:00+01:00`, local time with its distance from UTC, whole seconds.
 *
 * UTC is `+00:00` and never `Z`: Python before 3.11, which a consumer may run, does not read `Z`. The distance is that of
 * the time itself, which in July differs from that of today in winter.
 */
export function timestampOf(unixMs: number): string {
  const date = new Date(Math.floor(unixMs / 1000) * 1000);
  const minutes = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  const pair = (value: number) => String(value).padStart(2, '0');
  const distance = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${pair(Math.floor(distance / 60))}:${pair(Math.floor(distance % 60))}`;
}
