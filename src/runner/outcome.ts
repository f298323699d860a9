import type { JobStatus } from '../core/contract/job.ts';

/** Why the runner ended a job itself: the reason decides how its end is told. */
export type EndedFor = 'deadline' | 'stop' | 'cancel' | 'memory';

export interface Ended {
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly endedFor: EndedFor | undefined;
  /** Did we have to use SIGKILL? */
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

/**
 * The one status and return code of an attempt.
 *
 * Our own reasons come first: a process that we killed for memory also shows a signal, and one that caught the signal at
 * its time limit may still exit with 0, which counts as done.
 */
export function outcomeOf({
  exitCode,
  signal,
  endedFor,
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
    return { status: 'terminated', returnCode: wasKilled && endedFor === 'deadline' ? timeoutExitCode : code };
  }
  if (code !== 0) return { status: 'failed', returnCode: code };
  return missingOutputs.length === 0 ? { status: 'completed', returnCode: 0 } : { status: 'failed', returnCode: 1 };
}
