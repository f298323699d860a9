import type { JobStatus } from '../../core/contract/job.ts';
import { constants } from 'node:os';
import type { FailureCause } from '../../core/lifecycle/cause-rules.ts';
import type { EndedBy } from '../step/steps.ts';

/** Why the runner ended a job itself; the reason determines the reported status. */
export type EndedFor = 'deadline' | 'stop' | 'cancel' | 'memory';

export interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly endedFor: EndedFor | undefined;
  readonly endedBy?: EndedBy | undefined;
  /** Whether SIGKILL was necessary. */
  readonly wasKilled: boolean;
  /** Declared output files that do not exist. */
  readonly missingOutputs: readonly string[];
  readonly timeoutExitCode: number;
  readonly oomExitCode: number;
}

export interface Outcome {
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'terminated'>;
  readonly returnCode: number;
}

/** The return code of a job that ended with its node, was canceled by a person, or killed by somebody else: 128 + SIGKILL. */
const KILLED = 137;

/**
 * The status and return code of an attempt.
 *
 * Reasons of the runner come first: a process killed for memory also shows a signal, and one that handled the signal at
 * its time limit may still exit with 0, which counts as completed. Then comes what ended the step from outside: there the
 * exit code may say anything, 0 included.
 */
export function outcomeOf({
  exitCode,
  signal,
  endedFor,
  endedBy,
  wasKilled,
  missingOutputs,
  timeoutExitCode,
  oomExitCode,
}: Ended): Outcome {
  const code = exitCode ?? 128 + (signal ?? 0);
  if (endedFor === 'memory') return { status: 'failed', returnCode: oomExitCode };
  if (endedFor !== undefined) {
    if (code === 0)
      return missingOutputs.length === 0
        ? { status: 'completed', returnCode: 0 }
        : { status: 'terminated', returnCode: 1 };
    // Slurm may kill a step at its time limit before the runner does.
    const isTimeout = endedFor === 'deadline' && (wasKilled || code === KILLED);
    return { status: 'terminated', returnCode: isTimeout ? timeoutExitCode : code };
  }
  if (endedBy === 'memory') return { status: 'failed', returnCode: oomExitCode };
  if (endedBy === 'time') return { status: 'terminated', returnCode: timeoutExitCode };
  if (endedBy !== undefined) return { status: 'failed', returnCode: KILLED };
  if (code !== 0) return { status: 'failed', returnCode: code };
  return missingOutputs.length === 0 ? { status: 'completed', returnCode: 0 } : { status: 'failed', returnCode: 1 };
}

/**
 * What ended a failed attempt, where the runner or the accounting knows more than its exit code. SIGKILL of an unknown sender
 * counts as too little memory only if the attempt had used more than it asked for.
 */
export function failureCauseOf({
  signal,
  endedFor,
  endedBy,
  isOverMemory,
}: Pick<Ended, 'signal' | 'endedFor' | 'endedBy'> & { readonly isOverMemory: boolean }): FailureCause | undefined {
  if (endedFor === 'memory') return 'memory';
  if (endedFor === 'deadline') return 'time';
  if (endedFor !== undefined) return undefined;
  if (endedBy !== undefined) return endedBy === 'cancel' ? undefined : endedBy;
  return signal === constants.signals.SIGKILL && isOverMemory ? 'memory' : undefined;
}
