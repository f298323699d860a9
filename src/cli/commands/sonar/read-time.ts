import { parseTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { UsageError } from '../../command/failure.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A time as people type it: `2026-03-01`, `2026-03-01T12:00`, a timestamp, or how long ago: `30m`, `2h`, `7d`. In UTC. */
export function readTime(text: string, name: string): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago !== null) return Math.floor(Date.now() / 1000) - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 1);
  const full = /^\d{4}-\d\d-\d\d$/.test(text)
    ? `${text}T00:00:00Z`
    : /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)
      ? `${text}:00Z`
      : text;
  const found = parseTimestamp(full);
  if (found === undefined)
    throw new UsageError(
      `${name}: expected a time such as 2026-03-01, 2026-03-01T12:00 or 2026-03-01T12:00:00+01:00, or how long ago such as 2h, found "${text}"`,
    );
  return found.seconds;
}
