import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A person waits for the answer; the programs give up on a controller that is away after 9 to 18 s. */
const AT_MOST_MS = 5_000;

/**
 * Why jobs that wait have not started, in the words of squeue; those of which it knows nothing are left out.
 *
 * Throws `HelperFailed` where squeue does not answer.
 */
export async function waitingReasons(
  jobIds: readonly number[],
  environment: Environment,
): Promise<ReadonlyMap<number, string>> {
  const args = ['-h', '-t', 'PENDING', '-j', jobIds.join(','), '-o', '%i|%r'];
  const printed = await runHelper(slurmProgram('squeue', environment), args, {
    atMostMs: AT_MOST_MS,
    environment: outsideAllocation(environment),
  });
  return parseReasons(printed);
}

/** The lines of `-o "%i|%r"`. */
export const parseReasons = (text: string): ReadonlyMap<number, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const match = /^\s*(\d+)\|(.+)$/.exec(line);
      return match === null ? [] : [[Number(match[1]), (match[2] as string).trim()] as const];
    }),
  );
