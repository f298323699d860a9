import { runHelper } from '../exec.ts';
import { parseTime } from './allocation.ts';
import { slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How an allocation ends, as far as the runner in it has to know. */
export interface Ending {
  /** From SIGTERM to SIGKILL, in seconds; undefined if Slurm does not tell. Never rejects. */
  killWaitSeconds(): Promise<number | undefined>;
  /**
   * Whether the allocation, which is being ended, starts again: it was requeued, or preempted. Without an answer in this time it
   * is not. Never rejects.
   */
  isRequeued(atMostMs: number): Promise<boolean>;
  /** Its end as it is now, in Unix milliseconds: administrators change time limits. Rejects if squeue does not answer. */
  end(): Promise<number | undefined>;
}

const SOON_MS = 5_000;

export function endingOf({ jobId }: { readonly jobId: number }, environment: Environment): Ending {
  const ask = (program: 'scontrol' | 'squeue', args: readonly string[], atMostMs = SOON_MS) =>
    runHelper(slurmProgram(program, environment), args, { atMostMs, environment });
  const restarts = Number(environment['SLURM_RESTART_COUNT'] ?? 0) || 0;
  return {
    killWaitSeconds: () => ask('scontrol', ['show', 'config']).then(parseKillWait, () => undefined),
    isRequeued: (atMostMs) =>
      ask('scontrol', ['-o', 'show', 'job', String(jobId)], atMostMs).then(
        (text) => restartsIn(text) > restarts,
        () => false,
      ),
    end: async () => parseTime(await ask('squeue', ['--noheader', '--jobs', String(jobId), '--format', '%e'])),
  };
}

/** The line `KillWait = 30 sec` of `scontrol show config`. */
export function parseKillWait(text: string): number | undefined {
  const seconds = /^KillWait\s*=\s*(\d+)/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

/** How often Slurm has requeued a job, by `scontrol show job`: it counts when it begins to end the job. */
export const restartsIn = (text: string): number => Number(/\bRestarts=(\d+)/.exec(text)?.[1] ?? 0);
