import { constants } from 'node:os';
import { type AccountedStep, isFinal } from '../../../cluster/slurm/sacct.ts';
import type { Mark } from '../../../core/attempt/step-mark.ts';
import { nameOfSignal } from '../../../core/attempt/signal.ts';
import { provesSuccess } from '../../../core/attempt/asked-to-end.ts';
import type { StepAccount, StepEnd } from '../steps.ts';

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
 * The State of the accounting says what ended it from outside, and speaks before the mark: a command may end with 0 although it
 * was being killed. The mark says with which code it ended, and whether something asked it to end before. srun's exit code
 * counts only where neither has one, and its 0 never does: srun exits with 0 when a node fails, and when a step that it was
 * asked to end does not end in time. Such a step was killed. A step whose srun failed, or was ended by a signal, may have gone on
 * to a good end.
 */
export function stepAccountOf({ srun, mark, row, lastWords }: StepEvidence): StepAccount {
  const cpuSeconds = row?.aveCpuSeconds || undefined;
  // What a task did not wait for is only in the mean.
  const totalCpuSeconds = Math.max(cpuSeconds ?? 0, row?.totalCpuSeconds ?? 0) || undefined;
  const { maxRssBytes, peakGpuBytes } = row ?? {};
  const figures = { cpuSeconds, totalCpuSeconds, peakBytes: maxRssBytes || undefined, peakGpuBytes };
  const state = row !== undefined && isFinal(row) ? row.state : undefined;
  // The shell around the command ends as the command did; it writes nothing on a full disk.
  const code = mark.code ?? (state === 'COMPLETED' ? 0 : srun.exitCode || undefined);
  const signal = code === undefined ? (srun.signal ?? SIGKILL) : undefined;
  const account = { exitCode: code, signal, asked: mark.asked, ...figures };

  if (!mark.began && state === undefined) return { ...account, refused: reasonIn(lastWords) };
  if (state === 'OUT_OF_MEMORY') return { ...account, endedBy: 'memory', cause: 'Slurm: OUT_OF_MEMORY' };
  const endedByItself = state === undefined || BY_ITSELF.has(state);
  // Slurm ended the step: then it had asked it to end, also where the mark has no more than its SIGCONT.
  if (mark.code === 0 && mark.asked !== undefined && provesSuccess(mark.asked))
    return endedByItself ? account : { ...account, asked: { ...mark.asked, isCertain: true } };
  if (mark.code === 0 && endedByItself) return account;
  if (state === 'TIMEOUT') return { ...account, endedBy: 'time', cause: 'Slurm: TIMEOUT' };
  if (mark.code !== undefined && !IS_ENDING.has(state ?? '')) return account;
  const exceeded = mark.code === undefined ? EXCEEDED.exec(lastWords)?.[1] : undefined;
  if (exceeded !== undefined) return { ...account, endedBy: 'memory', cause: `Slurm: it ${exceeded}` };
  const failure = nodeFailure(state, mark, srun, lastWords);
  if (failure !== undefined) return { ...account, endedBy: 'node', cause: failure };
  if (row?.canceledBy !== undefined)
    return { ...account, endedBy: 'cancel', cause: `user ${row.canceledBy} canceled its step` };
  return IS_ENDING.has(state ?? '') ? { ...account, endedBy: 'allocation', cause: `Slurm: ${state}` } : account;
}

const SIGKILL = constants.signals.SIGKILL;

/** States of steps whose command ended before anything else ended the step. */
const BY_ITSELF: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED']);
/** States of steps that were ended from outside. */
const IS_ENDING: ReadonlySet<string> = new Set(['CANCELLED', 'PREEMPTED', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE']);

/**
 * Words of the daemon of a step where memory is watched by polling: then the State is CANCELLED. Newer releases print the time instead of
 * its name, as `[2026-11-28T19:29:54.425] error: `, and so may a job.
 */
const EXCEEDED = /^(?:slurmstepd\S*: error: .*|\[[^\]\n]+\] error: StepId=\S+ )(exceeded memory limit[^,\n]*)/m;
const NODE_FAILED = /^srun: error: .*(Node failure|node failure)/m;

/** Whether srun says that Slurm has given up the node of the step. */
export const nodeFailedIn = (lastWords: string): boolean => NODE_FAILED.test(lastWords);

/** How the node of a step, or its srun, ended before its command. */
function nodeFailure(
  state: string | undefined,
  mark: Mark,
  srun: StepEvidence['srun'],
  lastWords: string,
): string | undefined {
  if (state === 'NODE_FAIL' || state === 'BOOT_FAIL') return `Slurm: ${state}`;
  if (mark.code !== undefined) return undefined;
  if (nodeFailedIn(lastWords)) return 'Slurm: its node failed';
  if (srun.signal !== undefined && state !== 'COMPLETED') return `its srun was ended by ${nameOfSignal(srun.signal)}`;
  // srun ends with 0 when a node fails, and the State of a step that was lost with its node is CANCELLED.
  return srun.exitCode === 0 && state !== 'COMPLETED' ? 'its step ended with its node' : undefined;
}

/** An error of srun or of the daemon of a step. */
const ERROR = /^(?:(?:srun|slurmstepd\S*):|\[[^\]]+\]) (?:error|fatal): /;

const reasonIn = (lastWords: string): string =>
  lastWords.split('\n').findLast((line) => ERROR.test(line)) ?? 'Slurm created no step, and gives no reason';
