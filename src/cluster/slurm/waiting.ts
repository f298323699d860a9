import { jobsOfId, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import { runHelper } from '../exec.ts';
import { outsideAllocation, slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Why jobs that wait have not started, in the words of squeue; those that do not wait are left out.
 *
 * Throws `HelperFailed` where squeue does not answer, or where it has forgotten the only job.
 */
export async function waitingReasons(
  jobs: readonly SlurmJob[],
  { environment, atMostMs }: { readonly environment: Environment; readonly atMostMs: number },
): Promise<ReadonlyMap<SlurmJob, string>> {
  const args = ['-hr', '-t', 'PENDING', '-j', wholeJobs(jobs).join(','), '-o', '%i|%r'];
  const own = outsideAllocation(environment);
  return parseReasons(await runHelper(slurmProgram('squeue', environment), args, { atMostMs, environment: own }));
}

/** The lines of `-r -o "%i|%r"`: a task of an array has a line of its own. */
const parseReasons = (text: string): ReadonlyMap<SlurmJob, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const match = /^\s*([\d_]+)\|(.+)$/.exec(line);
      return jobsOfId(match?.[1] ?? '').map((job) => [job, (match?.[2] ?? '').trim()] as const);
    }),
  );
