import { constants } from 'node:os';
import { after } from '../../client/long-timers.ts';
import { CONTINUED_SECONDS } from '../../core/attempt/asked-to-end.ts';
import type { SettledEnd } from '../step/steps.ts';
import type { EndTime } from './attempt.ts';
import { type EndedFor, isUnproven } from '../../core/attempt/evidence.ts';

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
export const SHARED_SIGNAL_MS = 1_000;

/**
 * How long a success waits where Slurm kills the processes of an allocation one by one, children first: a script whose `sleep` was
 * killed goes on and exits with 0 before this process is killed. 12 ms were seen on a busy node.
 */
export const KILLED_LAST_MS = 200;

/** The first signal of the runner to its jobs. */
export interface Signaled {
  readonly endedFor: EndedFor;
  /** Unix milliseconds. */
  readonly atMs: number;
}

type How = Pick<SettledEnd, 'exitCode' | 'signal' | 'endedBy' | 'asked'>;

/** Whether a signal to the allocation may have ended it: not if it succeeded, or if Slurm has another reason. */
export const mayShareSignal = (how: How): boolean =>
  (how.exitCode !== 0 || isUnproven(how)) &&
  (how.endedBy === undefined || how.endedBy === 'cancel' || how.endedBy === 'allocation');

/** How long its result waits for a signal to the runner. */
export function waitSecondsFor(how: How): number {
  if (!mayShareSignal(how)) return 0;
  return how.exitCode === 0 && how.asked?.isCertain === false ? CONTINUED_SECONDS : SHARED_SIGNAL_MS / 1000;
}

/** Why an attempt ended that had ended when the runner signaled its jobs. */
export function endedForOf({
  end,
  account,
  signaled,
  sharesSignals,
}: {
  readonly end: Pick<EndTime, 'atMs'>;
  readonly account: How;
  readonly signaled: Signaled | undefined;
  readonly sharesSignals: boolean;
}): EndedFor | undefined {
  if (signaled === undefined) return undefined;
  const { endedBy } = account;
  if (endedBy === 'cancel' || endedBy === 'allocation' || isByTermination(account) || isUnproven(account))
    return signaled.endedFor;
  // Only a stop is the answer to a signal from outside.
  const isShared = sharesSignals && signaled.endedFor === 'stop' && mayShareSignal(account);
  return isShared && end.atMs >= signaled.atMs - SHARED_SIGNAL_MS ? 'stop' : undefined;
}

const LOOK_MS = 100;

/** Resolves when a signal that ended the attempt has reached the runner too, or after this many seconds from its end. */
export function afterSharedSignal(
  { atMs }: Pick<EndTime, 'atMs'>,
  seconds: number,
  isSignaled: () => boolean,
): Promise<void> {
  const untilMs = Math.min(Date.now(), atMs) + seconds * 1000;
  return new Promise((done) => {
    const look = () => {
      const leftMs = untilMs - Date.now();
      // A process that had to wait for a CPU runs its timers first, and hears of signals behind them.
      if (leftMs <= 0 || isSignaled()) setImmediate(done);
      else after(Math.min(leftMs, LOOK_MS), look);
    };
    look();
  });
}

/** Whether SIGTERM or SIGKILL ended it: also seen through a shell, as 128 and the signal. */
export const isByTermination = ({ exitCode, signal }: How): boolean =>
  [constants.signals.SIGTERM, constants.signals.SIGKILL].some((each) => signal === each || exitCode === 128 + each);
