import { constants } from 'node:os';
import type { CauseCode } from '../../core/contract/cause-code.ts';
import type { JobStatus } from '../../core/contract/job.ts';
import { type AskedToEnd, provesSuccess } from '../../core/lifecycle/asked-to-end.ts';
import type { FailureCause } from '../../core/lifecycle/cause-verdict.ts';
import type { EndedBy } from './steps.ts';

/** Why the runner ended a job itself; the reason determines the reported status. */
export type EndedFor = 'deadline' | 'stop' | 'cancel' | 'memory';

export interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly endedFor: EndedFor | undefined;
  readonly endedBy?: EndedBy | undefined;
  readonly asked?: AskedToEnd | undefined;
  /** Whether SIGKILL was necessary. */
  readonly wasKilled: boolean;
  /** Declared output files that do not exist. */
  readonly missingOutputs: readonly string[];
  /** Its peak of memory as a share of what it asked for; 0 if that is not known. */
  readonly memoryShare: number;
  readonly timeoutExitCode: number;
  readonly oomExitCode: number;
}

export interface Outcome {
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'terminated'>;
  readonly returnCode: number;
  /** What ended it, where something proves it. */
  readonly causeCode?: CauseCode | undefined;
}

/** The return code of a job that ended with its node, was canceled by a person, or killed by another process: 128 + SIGKILL. */
const KILLED = 128 + constants.signals.SIGKILL;
const TERMINATED = 128 + constants.signals.SIGTERM;

/** A job that was killed above this share of the memory that it asked for was killed for its memory: samples miss the last growth. */
const NEAR_LIMIT = 0.9;

/** Whether an exit code of 0 proves nothing: the job was asked to end, and its first process does not handle that. */
export const isUnproven = ({ exitCode, asked }: Pick<Ended, 'exitCode' | 'asked'>): boolean =>
  exitCode === 0 && !provesSuccess(asked);

/**
 * The status and return code of an attempt, and what ended it.
 *
 * Reasons of the runner come first: a process killed for memory also shows a signal, and one that handled the signal at
 * its time limit may still exit with 0, which counts as completed. Then comes what ended the step from outside: there the
 * exit code may say anything, 0 included.
 */
export function outcomeOf(ended: Ended): Outcome {
  const { exitCode, signal, endedFor, endedBy, missingOutputs, oomExitCode, timeoutExitCode } = ended;
  const code = isUnproven(ended) ? TERMINATED : (exitCode ?? 128 + (signal ?? 0));
  if (endedFor === 'memory' || (endedFor === undefined && endedBy === 'memory'))
    return { status: 'failed', returnCode: oomExitCode, causeCode: 'memory' };
  if (endedFor !== undefined) return endedByRunner(ended, endedFor, code);
  if (endedBy === 'time') return { status: 'terminated', returnCode: timeoutExitCode, causeCode: 'time' };
  if (endedBy === 'allocation')
    return { status: 'terminated', returnCode: code || TERMINATED, causeCode: 'allocation' };
  if (endedBy !== undefined)
    return { status: 'failed', returnCode: KILLED, causeCode: endedBy === 'cancel' ? 'canceled' : endedBy };
  if (isUnproven(ended)) return { status: 'failed', returnCode: code, causeCode: 'unproven' };
  if (code !== 0) return { status: 'failed', returnCode: code, ...killedBy(ended, code) };
  return missingOutputs.length === 0
    ? { status: 'completed', returnCode: 0 }
    : { status: 'failed', returnCode: 1, causeCode: 'missing_output' };
}

function endedByRunner(
  { missingOutputs, wasKilled, timeoutExitCode, ...ended }: Ended,
  endedFor: EndedFor,
  code: number,
): Outcome {
  if (code === 0)
    return missingOutputs.length === 0
      ? { status: 'completed', returnCode: 0 }
      : { status: 'terminated', returnCode: 1, causeCode: 'missing_output' };
  // Slurm may kill a step at its time limit before the runner does.
  if (endedFor === 'deadline' && (wasKilled || code === KILLED))
    return { status: 'terminated', returnCode: timeoutExitCode, causeCode: 'time' };
  return { status: 'terminated', returnCode: code, causeCode: isUnproven(ended) ? 'unproven' : 'stopped' };
}

/** SIGKILL of an unknown sender counts as too little memory only if the attempt had used nearly what it asked for. */
const killedBy = ({ memoryShare }: Ended, code: number): Pick<Outcome, 'causeCode'> =>
  code === KILLED ? { causeCode: memoryShare >= NEAR_LIMIT ? 'memory' : 'killed' } : {};

/** What ended an attempt, for the rules of failure handlers about causes. */
export function failureCauseOf(
  { causeCode }: Pick<Outcome, 'causeCode'>,
  endedFor: EndedFor | undefined,
): FailureCause | undefined {
  if (endedFor === 'deadline') return 'time';
  return causeCode === 'memory' || causeCode === 'time' || causeCode === 'node' ? causeCode : undefined;
}
