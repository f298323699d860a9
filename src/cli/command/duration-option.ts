import { formatDuration, parseDuration } from '../../core/quantity/duration.ts';
import { UsageError } from './failure.ts';

/** `2h`, `1d12h` and `90s`: the parts of an ISO 8601 duration without its letters P and T. */
const SHORT = /^(?=.)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/i;
const SECONDS = [86_400, 3_600, 60, 1];

/**
 * The ISO 8601 duration of an option such as `--time-limit`, which is also read as other programs take it: `2h`, `10m`, `90s`, `1d12h`.
 *
 * Only options are read so: files and requests have the durations of Torc 1.0.0, which other programs read, too.
 */
export function durationOption(text: string, name: string): string {
  const trimmed = text.trim();
  const parts = SHORT.exec(trimmed)?.slice(1);
  const iso =
    parts === undefined
      ? trimmed
      : formatDuration(parts.reduce((sum, part, at) => sum + Number(part ?? 0) * (SECONDS[at] ?? 0), 0));
  try {
    parseDuration(iso);
  } catch {
    throw new UsageError(`${name}: expected a duration such as 2h, 10m, 90s, 1d12h or PT2H, found "${text}"`);
  }
  return iso;
}
