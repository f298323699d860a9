import type { Allocation } from '../batch/allocation.ts';
import { runHelper } from '../exec.ts';
import { parseTimeOf } from './allocation.ts';
import { slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How an allocation ends, as far as the runner in it has to know. */
export interface Ending {
  /** Never rejects. */
  manner(): Promise<Manner>;
  /** Whether and why the allocation is being ended. Without an answer in this time it is `unknown`. Never rejects. */
  fate(atMostMs: number): Promise<Fate>;
  /** Its end as it is now, in Unix milliseconds: administrators change time limits. Rejects if squeue does not answer. */
  end(): Promise<number | undefined>;
}

/** How Slurm ends the processes of an allocation. */
export interface Manner {
  /** From SIGTERM to SIGKILL; undefined if Slurm does not tell. */
  readonly killWaitSeconds: number | undefined;
  /** It looks for the processes in the process table, and kills one after another, children first: 10 ms may lie between two. */
  readonly isOneByOne: boolean;
}

/**
 * How an allocation stands. `requeued`: it is ended, and starts again. `preempted`: it does not, and made room for others, or lost
 * its node. `limit`: its time was up. `over`: any other end. `alive`: nothing ends it. `unknown`: Slurm did not answer.
 */
export type Fate = 'requeued' | 'preempted' | 'limit' | 'over' | 'alive' | 'unknown';

const SOON_MS = 5_000;

export function endingOf(
  { jobId, restarts }: Pick<Allocation, 'jobId' | 'restarts'>,
  environment: Environment,
): Ending {
  const ask = (program: 'scontrol' | 'squeue', args: readonly string[], atMostMs = SOON_MS) =>
    runHelper(slurmProgram(program, environment), args, { atMostMs, environment });
  return {
    manner: () => ask('scontrol', ['show', 'config']).then(parseManner, () => parseManner('')),
    fate: (atMostMs) =>
      ask('scontrol', ['-o', 'show', 'job', String(jobId)], atMostMs).then(
        (text) => {
          const own = jobLine(jobId, text);
          return restartsIn(own) > restarts ? 'requeued' : fateIn(own);
        },
        () => 'unknown',
      ),
    end: async () =>
      parseTimeOf(jobId, await ask('squeue', ['--noheader', '--jobs', String(jobId), '--format', '%A|%e'])),
  };
}

/**
 * The line of a job in the reply of `scontrol -o show job`. One task of a job array has the id of the array, and scontrol
 * shows all tasks then.
 */
export const jobLine = (jobId: number, text: string): string =>
  text.split('\n').find((line) => line.startsWith(`JobId=${jobId} `)) ?? text;

/** The lines `KillWait = 30 sec` and `ProctrackType = proctrack/cgroup` of `scontrol show config`. */
export function parseManner(text: string): Manner {
  const seconds = /^KillWait\s*=\s*(\d+)/m.exec(text)?.[1];
  return {
    killWaitSeconds: seconds === undefined ? undefined : Number(seconds),
    isOneByOne: /^ProctrackType\s*=\s*proctrack\/(?:linuxproc|pgid)\b/m.test(text),
  };
}

/** Whether Slurm takes the nodes of a job away from it: its state, or during its grace time the time of the preemption. */
export const isPreempted = (text: string): boolean =>
  /\bJobState=(PREEMPTED|NODE_FAIL|BOOT_FAIL)\b/.test(text) || /\bPreemptTime=\d/.test(text);

/** How a job stands by `scontrol show job`. While its processes are being ended it is COMPLETING, and the reason tells why. */
export function fateIn(text: string): Fate {
  if (isPreempted(text)) return 'preempted';
  const state = /\bJobState=(\w+)/.exec(text)?.[1];
  if (state === undefined) return 'unknown';
  if (state === 'TIMEOUT' || /\bReason=TimeLimit\b/.test(text)) return 'limit';
  return ALIVE.has(state) ? 'alive' : 'over';
}

const ALIVE: ReadonlySet<string> = new Set(['RUNNING', 'SUSPENDED', 'STOPPED', 'RESIZING', 'SIGNALING', 'STAGE_OUT']);

/** How often Slurm has requeued a job, by `scontrol show job`: it counts when it begins to end the job. */
export const restartsIn = (text: string): number => Number(/\bRestarts=(\d+)/.exec(text)?.[1] ?? 0);
