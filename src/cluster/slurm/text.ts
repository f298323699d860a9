/**
 * A time as Slurm's programs print it, such as `2026-11-21T16:30:00`, which is in the time zone of the host.
 *
 * `NONE`, `N/A`, `Unknown` and the like mean that there is none. Source: squeue(1), formats %e and %S.
 */
export function parseTime(text: string): number | undefined {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.exec(text.trim());
  return match === null ? undefined : Date.parse(match[0]);
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
