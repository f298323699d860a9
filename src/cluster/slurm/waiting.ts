import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Why jobs that wait have not started, in the words of squeue; those that do not wait are left out.
 *
 * Throws `HelperFailed` where squeue does not answer, or where it has forgotten the only job.
 */
export async function waitingReasons(
  jobIds: readonly number[],
  { environment, atMostMs }: { readonly environment: Environment; readonly atMostMs: number },
): Promise<ReadonlyMap<number, string>> {
  const args = ['-h', '-t', 'PENDING', '-j', jobIds.join(','), '-o', '%i|%r'];
  const own = outsideAllocation(environment);
  return parseReasons(await runHelper(slurmProgram('squeue', environment), args, { atMostMs, environment: own }));
}

/** The lines of `-o "%i|%r"`. */
const parseReasons = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)\|(.+)$/.exec(line);
      return match === null ? [] : [[Number(match[1]), (match[2] as string).trim()] as const];
    }),
  );
