import { HelperFailed } from '../helper-failed.ts';

/**
 * A time as Slurm's programs print it, in Unix milliseconds: seconds, as we ask for (`SLURM_TIME_FORMAT`), or a time such as
 * `2026-11-21T16:30:00` in the time zone of the host, from programs that do not know the variable.
 *
 * `NONE`, `N/A`, `Unknown` and the like mean that there is none. Source: squeue(1), formats %e and %S.
 */
export function parseTime(text: string): number | undefined {
  const trimmed = text.trim();
  // A number that is cut off is another time.
  if (/^\d{10}$/.test(trimmed)) return Number(trimmed) * 1000;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(trimmed) ? Date.parse(trimmed) : undefined;
}

/** Slurm may print a word where a figure is missing; one such field must not cost the others. */
export function figureIn(text: string | undefined, parse: (text: string) => number | undefined): number | undefined {
  try {
    return parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** The controller answers, and has none of the jobs that it was asked for. */
export const isUnknownJob = (words: string): boolean => /invalid job id/i.test(words);

/** Exit code and signal in the form of scontrol and sacct: `127:0`. */
export function exitOf(text: string | undefined): { readonly exitCode?: number; readonly signal?: number } {
  const [, code, signal] = /^(\d+):(\d+)$/.exec(text ?? '') ?? [];
  return code === undefined ? {} : { exitCode: Number(code), signal: Number(signal) };
}

/**
 * The rows in what a program prints, as `read` finds them in its lines; undefined for a line that is none, such as a banner of the site.
 *
 * Throws `HelperFailed` if there are lines and none is a row: then nothing may be concluded from what is missing.
 */
export function rowsIn<Row>(program: string, text: string, read: (line: string) => readonly Row[] | undefined): Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.flatMap((line) => {
    const found = read(line);
    return found === undefined ? [] : [found];
  });
  if (lines.length > 0 && rows.length === 0)
    throw new HelperFailed(`${program} printed no line of the form that it was asked for: ${JSON.stringify(lines[0])}`);
  return rows.flat();
}
