import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 20_000;

/**
 * The most tasks of a job array on this cluster; 1 where Slurm does not say, because job arrays are switched off then, or a
 * program stands in for sbatch alone.
 */
export async function arraySize(environment: Environment): Promise<number> {
  if (environment['TORC_FAKE_SBATCH'] && !environment['TORC_FAKE_SCONTROL']) return 1;
  const options = { atMostMs: AT_MOST_MS, environment: outsideAllocation(environment) };
  return runHelper(slurmProgram('scontrol', environment), ['show', 'config'], options).then(parseArraySize, () => 1);
}

/** The line `MaxArraySize = 1001` of `scontrol show config`: one more than the largest number of a task. 0 means none. */
export const parseArraySize = (text: string): number =>
  Math.max(1, Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(text)?.[1] ?? 1));
