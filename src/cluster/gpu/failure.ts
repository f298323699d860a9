import type { Outcome } from '../exec.ts';

/** What went wrong with a tool, in its own words; undefined if nothing did. */
export function failureOf(program: string, { code, signal, isLate, stderr, stdout }: Outcome): string | undefined {
  if (isLate) return `${program} did not end within its time limit`;
  if (code === 0) return undefined;
  const words = (stderr.trim() || stdout.trim()).split('\n')[0] ?? '';
  return `${program} ended with ${signal ?? `exit code ${code}`}${words === '' ? '' : `: ${words}`}`;
}
