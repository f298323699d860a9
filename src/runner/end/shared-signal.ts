import { constants } from 'node:os';
import { after } from '../../client/long-timers.ts';
import type { Account } from '../step/steps.ts';
import type { EndTime } from './attempt.ts';
import type { EndedFor } from './outcome.ts';

/**
 * Whoever ends an allocation signals its jobs and its runner together: a job may end before the runner learns why. It handles
 * the signal or not, so its exit code does not tell.
 *
 * So inside an allocation the result of a job that did not succeed waits for a moment. If the runner is told to stop by then, the
 * same signal ended both.
 */

/**
 * The daemon of a node signals one step after another, in about 10 ms each. Too short, and a job that cleans up and exits with a
 * code of its own has `failed`; too long, and failures are reported late.
 */
export const SHARED_SIGNAL_MS = 1_000;

/** The first signal of the runner to its jobs. */
export interface Signaled {
  readonly endedFor: EndedFor;
  /** Unix milliseconds. */
  readonly atMs: number;
}

type How = Pick<Account, 'exitCode' | 'signal' | 'endedBy'>;

/** Whether a signal to the allocation may have ended it: not if it succeeded, or if Slurm tells another reason. */
export const mayShareSignal = ({ exitCode, endedBy }: How): boolean =>
  exitCode !== 0 && (endedBy === undefined || endedBy === 'cancel');

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
  if (account.endedBy === 'cancel' || isByTermination(account)) return signaled.endedFor;
  // Only a stop is the answer to a signal from outside.
  const isShared = sharesSignals && signaled.endedFor === 'stop' && mayShareSignal(account);
  return isShared && end.atMs >= signaled.atMs - SHARED_SIGNAL_MS ? 'stop' : undefined;
}

/** Resolves when a signal that ended the attempt has reached the runner too. */
export const afterSharedSignal = ({ atMs }: Pick<EndTime, 'atMs'>): Promise<void> =>
  new Promise((done) => {
    const waitMs = Math.min(SHARED_SIGNAL_MS, Math.max(0, atMs + SHARED_SIGNAL_MS - Date.now()));
    // A process that had to wait for a CPU runs its timers first, and hears of signals behind them.
    after(waitMs, () => void setImmediate(done));
  });

/** Whether SIGTERM or SIGKILL ended it: also seen through a shell, as 128 and the signal. */
const isByTermination = ({ exitCode, signal }: How): boolean =>
  [constants.signals.SIGTERM, constants.signals.SIGKILL].some((each) => signal === each || exitCode === 128 + each);
