import { HelperFailed, runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

/** What Slurm says about a script that is not submitted. */
export type Tested =
  | { readonly kind: 'starts'; readonly atMs: number }
  /** Slurm would not accept the script (`isFinal`), or has no nodes for it as it is now: some may be drained. */
  | { readonly kind: 'refused'; readonly words: string; readonly isFinal: boolean }
  /** Slurm could not be asked. */
  | { readonly kind: 'unknown'; readonly words: string };

const AT_MOST_MS = 30_000;

/** Asks `sbatch --test-only` about a script. */
export async function testOnly(
  script: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Tested> {
  // It answers on standard error, and with exit code 1 about what it refuses.
  const command = `printf %s "$1" | "$0" --test-only 2>&1 || true`;
  const program = slurmProgram('sbatch', environment);
  try {
    const text = await runHelper('bash', ['-c', command, program, script], {
      atMostMs: AT_MOST_MS,
      environment: outsideAllocation(environment),
    });
    return parseTested(text);
  } catch (error) {
    if (!(error instanceof HelperFailed)) throw error;
    return { kind: 'unknown', words: error.message };
  }
}

/** The answer of `sbatch --test-only`; times are in the time zone of this machine. */
export function parseTested(text: string): Tested {
  const lines = text.split('\n').map((line) => line.trim());
  const time = /to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/.exec(text)?.[1];
  if (time !== undefined) return { kind: 'starts', atMs: Date.parse(time) };
  const refusal = lines.find((line) => /error:|failure:|Unable to allocate|unrecognized option/.test(line));
  if (refusal === undefined || /Unable to contact|Socket timed out|fatal:/.test(text))
    return { kind: 'unknown', words: refusal ?? 'Could not parse sbatch --test-only output' };
  const words = refusal.replace(/^(?:sbatch: )?(?:error: |allocation failure: )?/, '');
  return { kind: 'refused', words, isFinal: /invalid|not permitted|unrecognized/i.test(text) };
}
