import { Refusal } from '../contract/refusals.ts';

const DAY = 86_400;

/**
 * Seconds of a scheduler's walltime such as `04:30:00`, `1-00:00:00`, `30:00` or `45`.
 *
 * Unit: seconds. A bare number means minutes, as in sbatch(1).
 * Shape: `[days-]HH:MM:SS`, `[days-]MM:SS`, `[days-]minutes`. Unlike in Slurm, the part after the days is read as if it
 * stood alone, so `1-12` is a day and 12 minutes: Torc has always counted so, and its users' checks depend on it.
 * Throws: `WALLTIME_MALFORMED`, also for `2h`, `PT1H` and `UNLIMITED`.
 */
export function parseWalltime(text: string): number {
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text.trim());
  if (match === null)
    throw new Refusal(
      'WALLTIME_MALFORMED',
      `Not a walltime: "${text}"; expected minutes, or a time such as 04:30:00 or 1-00:00:00`,
      { text },
    );
  const [days, first, second, third] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  return (days ?? 0) * DAY + clockSeconds(first ?? 0, second, third);
}

function clockSeconds(first: number, second: number | undefined, third: number | undefined): number {
  if (second === undefined) return first * 60;
  return third === undefined ? first * 60 + second : (first * 60 + second) * 60 + third;
}

/** A walltime as Slurm prints it: `HH:MM:SS` below a day, `D-HH:MM:SS` from one day on. */
export function formatWalltime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / DAY);
  const clock = [Math.floor((whole % DAY) / 3600), Math.floor((whole % 3600) / 60), whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return days === 0 ? clock : `${days}-${clock}`;
}

/**
 * Seconds of a CPU time such as `1-02:30:00` or `00:00:01.5`, with the fraction; undefined for a blank field.
 *
 * Throws: `WALLTIME_MALFORMED`.
 * Source: sacct(1), fields `AveCPU` and `TotalCPU`, which shorten to `MM:SS.mmm`.
 */
export function parseCpuTime(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(trimmed);
  if (match === null) throw new Refusal('WALLTIME_MALFORMED', `Not a CPU time: "${text}"`, { text });
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}
