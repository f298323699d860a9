import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { type QueueState, queueStateOf } from '../../core/lifecycle/slurm-state.ts';

/** Readers of what sbatch and squeue print. */

export interface QueuedJob {
  readonly jobId: SlurmJob;
  readonly state: QueueState;
}

export interface SubmittedScript extends QueuedJob {
  /** That of the array, if it is one. */
  readonly jobId: number;
  readonly script: string;
}

/** The id in `Submitted batch job 1234`; undefined for any other text. */
export const parseSubmitted = (text: string): number | undefined => {
  const match = /Submitted batch job (\d+)/.exec(text);
  return match === null ? undefined : Number(match[1]);
};

/** The lines of `--Format jobid,state`; lines of another shape are passed over, array tasks and steps among them. */
export const parseQueue = (text: string): QueuedJob[] =>
  text.split('\n').flatMap((line) => {
    const [id, state, ...more] = line.trim().split(/\s+/);
    return id === undefined || state === undefined || more.length > 0 || !/^\d+$/.test(id)
      ? []
      : [{ jobId: Number(id), state: queueStateOf(state) }];
  });

/** The lines of `-o "%F|%T|%o"`, one or more for an array; a path may contain the separator. */
export const parseScripts = (text: string): SubmittedScript[] =>
  text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\|(\w+)\|(.+)$/.exec(line);
    return match === null
      ? []
      : [{ jobId: Number(match[1]), state: queueStateOf(match[2] as string), script: (match[3] as string).trim() }];
  });
