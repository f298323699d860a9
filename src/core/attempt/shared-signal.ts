import { signalNumber } from './signal.ts';
import { CONTINUED_SECONDS } from './asked-to-end.ts';
import { type EndedFor, type Evidence, isUnproven } from './evidence.ts';

/**
 * What ends an allocation signals its jobs and its runner together: a job may end before the runner learns why. It handles
 * the signal or not, so its exit code proves nothing.
 *
 * So inside an allocation the result of a job that did not succeed waits for a moment. If the runner gets its signal to stop by then, the
 * same signal ended both. A job that exited with 0 does not wait, unless Slurm had continued its processes just before: that is
 * how Slurm begins to end an allocation.
 */

/**
 * The daemon of a node signals one step after another, in about 10 ms each. Too short, and a job that cleans up and exits with a
 * code of its own has `failed`; too long, and failures are reported late.
 */
const SHARED_SIGNAL_MS = 1_000;

/** The first signal of the runner to its jobs. */
export interface Signaled {
  readonly endedFor: EndedFor;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** What the runner sees of an end. */
type EndSigns = Pick<Evidence, 'exitCode' | 'signal' | 'endedBy' | 'asked'>;

/** Whether an end needs an explanation: a 0 that proves nothing does, too. */
export const isBadEnd = (how: Pick<Evidence, 'exitCode' | 'asked'>): boolean => how.exitCode !== 0 || isUnproven(how);

/** Whether a signal to the allocation may have ended it: not if it succeeded, or if Slurm has another reason. */
const mayShareSignal = (how: EndSigns): boolean =>
  isBadEnd(how) && (how.endedBy === undefined || how.endedBy === 'cancel' || how.endedBy === 'allocation');

/** How long its result waits for a signal to the runner. */
export function waitSecondsFor(how: EndSigns): number {
  if (!mayShareSignal(how)) return 0;
  return how.exitCode === 0 && how.asked?.isCertain === false ? CONTINUED_SECONDS : SHARED_SIGNAL_MS / 1000;
}

/** Why an attempt ended that had ended when the runner signaled its jobs; `isShared`: what signaled the runner signaled them, too. */
export function endedForOf(
  how: EndSigns,
  endedAtMs: number,
  signaled: Signaled | undefined,
  isShared: boolean,
): EndedFor | undefined {
  if (signaled === undefined) return undefined;
  const { endedBy } = how;
  if (endedBy === 'cancel' || endedBy === 'allocation' || isByTermination(how) || isUnproven(how))
    return signaled.endedFor;
  // Only a stop is the answer to a signal from outside.
  const mayBeStopped = isShared && signaled.endedFor === 'stop' && mayShareSignal(how);
  return mayBeStopped && endedAtMs >= signaled.atMs - SHARED_SIGNAL_MS ? 'stop' : undefined;
}

/** Whether an attempt ended in the moment in which the runner was asked to stop. */
export const isNearStop = (endedAtMs: number, signaled: Signaled | undefined): boolean =>
  signaled?.endedFor === 'stop' && Math.abs(endedAtMs - signaled.atMs) < SHARED_SIGNAL_MS;

/**
 * Whether only the end of its allocation explains it. The runner may get its own signal late, or with the last node of several. A
 * preemption with GraceTime signals the steps alone: Slurm asked such a job to end, whatever its exit code.
 */
export const isUnexplained = (how: EndSigns): boolean =>
  how.endedBy === 'allocation' || (how.endedBy === undefined && (isByTermination(how) || how.asked !== undefined));

/** Whether SIGTERM or SIGKILL ended it: also seen through a shell, as 128 and the signal. */
const isByTermination = ({ exitCode, signal }: EndSigns): boolean =>
  TERMINATIONS.some((each) => signal === each || exitCode === 128 + each);

const TERMINATIONS = ['TERM', 'KILL'].map((name) => signalNumber(name) as number);
