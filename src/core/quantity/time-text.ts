/** A span of time for people: `2h 05m`, `3m 12s`, `4.2s`, `85ms`. */
export function timeText(seconds: number): string {
  // The bounds are where rounding would make a whole of the next unit: never `1000ms` or `60.0s`.
  if (seconds < 0.9995) return `${Math.max(0, Math.round(seconds * 1000))}ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86_400)}d ${two(Math.floor((whole % 86_400) / 3600))}h`;
}
