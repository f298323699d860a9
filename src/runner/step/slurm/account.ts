import { type AccountedStep, isFinal } from '../../../cluster/slurm/steps.ts';
import type { Account, StepEnd } from '../steps.ts';
import type { Mark } from './srun.ts';

export interface StepEvidence {
  /** The end of srun. */
  readonly srun: Pick<StepEnd, 'exitCode' | 'signal'>;
  readonly mark: Mark;
  /** The row of the accounting, if it arrived in time. */
  readonly row: AccountedStep | undefined;
  /** The end of the step's standard error, where Slurm's own words are. */
  readonly lastWords: string;
}

/**
 * What the end of a step of Slurm means.
 *
 * The State of the accounting says what ended it from outside; the mark says with which code its command ended. srun's exit
 * code counts only where both are missing, and its 0 never does: srun exits with 0 when a node fails.
 */
export function accountOf({ srun, mark, row, lastWords }: StepEvidence): Account {
  const cpuSeconds = row?.aveCpuSeconds || undefined;
  // What a task did not wait for is only in the mean.
  const totalCpuSeconds = Math.max(cpuSeconds ?? 0, row?.totalCpuSeconds ?? 0) || undefined;
  const figures = { cpuSeconds, totalCpuSeconds, peakBytes: row?.maxRssBytes || undefined };
  const code = mark.code ?? srun.exitCode;
  const account = { exitCode: code, signal: code === undefined ? srun.signal : undefined, ...figures };
  const state = row !== undefined && isFinal(row) ? row.state : undefined;

  if (!mark.began && state === undefined) return { ...account, refused: reasonIn(lastWords) };
  if (state === 'OUT_OF_MEMORY') return { ...account, endedBy: 'memory' };
  // It ended by itself, perhaps by a signal that it handled.
  if (mark.code === 0) return account;
  if (state === 'TIMEOUT') return { ...account, endedBy: 'time' };
  if (mark.code !== undefined) return state === 'CANCELLED' ? { ...account, endedBy: 'cancel' } : account;
  if (EXCEEDED.test(lastWords)) return { ...account, endedBy: 'memory' };
  if (state === 'NODE_FAIL' || NODE_FAILED.test(lastWords) || srun.exitCode === 0)
    return { ...account, endedBy: 'node' };
  return state === 'CANCELLED' ? { ...account, endedBy: 'cancel' } : account;
}

/** slurmstepd's words where memory is watched by polling: then the State is CANCELLED. */
const EXCEEDED = /^slurmstepd\S*: error: .*exceeded memory limit/m;
const NODE_FAILED = /^srun: error: .*(Node failure|node failure)/m;

function reasonIn(lastWords: string): string {
  const words = lastWords.split('\n').filter((line) => /^(srun|slurmstepd\S*): (error|fatal): /.test(line));
  return words.at(-1) ?? 'Slurm created no step, and gives no reason';
}
