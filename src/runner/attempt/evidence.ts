import { after } from '../../client/long-timers.ts';
import type { Fate } from '../../cluster/batch/batch-system.ts';
import type { AllocationEnd, EndedFor } from '../../core/attempt/evidence.ts';
import {
  endedForOf,
  isBadEnd,
  isNearStop,
  isUnexplained,
  type Signaled,
  waitSecondsFor,
} from '../../core/attempt/shared-signal.ts';
import { stdioOf } from '../../core/contract/files/job.ts';
import { andThen } from '../facts/and-then.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { StepAccount } from '../step/steps.ts';
import type { EndedAttempt } from './attempt.ts';
import type { OutputDisk } from './output-disk.ts';
import type { InputStamps } from '../../core/contract/result.ts';
import { lookAfter, type Outputs } from './outputs.ts';

/** How what ends its allocation reaches the jobs of a runner and the runner. */
export interface AllocationSignals {
  /** It signals jobs and runner together. */
  readonly areShared: boolean;
  /** Slurm signals the steps of jobs before the runner where it ends an allocation for its time, or for another one. */
  readonly hasSteps: boolean;
  /** How long a success waits, because this process may be killed just after its job; 0 for not at all. */
  readonly successWaitMs: number;
  /** When this process last got a signal that all processes of the allocation get, in Unix milliseconds. */
  readonly signaledAtMs?: (() => number | undefined) | undefined;
  /** Whether and why the allocation is being ended. If it starts again its jobs run again, and are not reported. */
  readonly fate: (() => Promise<Fate>) | undefined;
}

/** As outside an allocation. */
const NO_SIGNALS: AllocationSignals = { areShared: false, hasSteps: false, successWaitMs: 0, fate: undefined };

export interface GatherOptions {
  readonly run: CurrentRun;
  /** The disk of the output of jobs; absent: it is not watched. */
  readonly disk?: OutputDisk | undefined;
  readonly allocation?: AllocationSignals | undefined;
  /** When and why the runner signaled its jobs; undefined if it did not. */
  readonly signaled: () => Signaled | undefined;
}

/** What is known of the end of an attempt. */
export interface KnownEnd extends EndedAttempt {
  readonly account: StepAccount;
  readonly endedFor: EndedFor | undefined;
  /** How its allocation is being ended. */
  readonly allocationEnd?: AllocationEnd | undefined;
  /** Its declared outputs, where they were looked at. */
  readonly outputs?: Outputs | undefined;
  /** Its inputs as it found them, if it ended by itself. */
  readonly inputs?: InputStamps | undefined;
}

/** `kept`: its allocation starts again, and the next runner in it takes the job over as one of a runner that is gone. */
export type Gather = (ended: EndedAttempt, account: StepAccount) => KnownEnd | 'kept' | Promise<KnownEnd | 'kept'>;

/** The job was signaled first: SIGTERM, without the SIGCONT before that shows the order of its end and the signal. */
const SIGNALED_FIRST = { isHandled: false, isCertain: true };

/**
 * Gathers what is known of ends beside the account of their steps: whether a signal to the allocation ended them, how the allocation
 * ends, whether the declared outputs are there, and whether the disk is full.
 */
export function createGather({ run, disk, allocation = NO_SIGNALS, signaled }: GatherOptions): Gather {
  const { areShared, hasSteps, successWaitMs, signaledAtMs, fate } = allocation;
  const isSignaled = () => signaled() !== undefined;

  /** How long the end waits for a signal to this process that would explain it. */
  const waitMsOf = ({ account, endedFor }: KnownEnd): number => {
    if (!isBadEnd(account)) return successWaitMs;
    return areShared && endedFor === undefined && !isSignaled() ? waitSecondsFor(account) * 1000 : 0;
  };

  /** Where Slurm ends an allocation for its time, or for another one, the jobs in steps get SIGTERM first of all. */
  const withFirstSignal = (known: KnownEnd): KnownEnd | Promise<KnownEnd> => {
    const { account, atMs } = known;
    // Where they are signaled one by one, children first: the script of a killed `sleep` went on and ended before its own signal.
    if (successWaitMs > 0 && account.asked === undefined && (signaledAtMs?.() ?? -Infinity) >= atMs)
      return { ...known, account: { ...account, asked: SIGNALED_FIRST } };
    const mayBeFirst = hasSteps && account.asked === undefined && isNearStop(atMs, signaled());
    if (!mayBeFirst || fate === undefined) return known;
    return fate().then((found) =>
      found === 'preempted' || found === 'limit' ? { ...known, account: { ...account, asked: SIGNALED_FIRST } } : known,
    );
  };

  /** The runner got no signal to stop. It may get it late, on a busy node, or with the last node of several. */
  const withoutSignal = (known: KnownEnd): KnownEnd | Promise<KnownEnd> => {
    const { account, endedFor } = known;
    // Slurm continued its processes without a signal after it: the allocation goes on.
    if (account.asked?.isCertain === false) return { ...known, account: { ...account, asked: undefined } };
    if (!isUnexplained(account) || fate === undefined) return known;
    return fate().then((found) =>
      found === 'alive' || found === 'unknown' ? known : { ...known, endedFor: endedFor ?? 'stop' },
    );
  };

  /** Whether a signal to the runner and its jobs ended it, and how the allocation ends then. */
  const withAllocation = (known: KnownEnd): KnownEnd | 'kept' | Promise<KnownEnd | 'kept'> => {
    const { account, atMs } = known;
    const endedFor = known.endedFor ?? endedForOf(account, atMs, signaled(), areShared);
    if (endedFor !== 'stop' || !isBadEnd(account) || fate === undefined) return { ...known, endedFor };
    return fate().then((found) =>
      found === 'requeued' ? 'kept' : { ...known, endedFor, allocationEnd: endOf(found) },
    );
  };

  /** One that was asked to end runs again, whatever its inputs are. */
  const withInputs = (known: KnownEnd): KnownEnd | Promise<KnownEnd> => {
    const { inputs } = known.attempt;
    if (inputs === undefined || known.endedFor !== undefined) return known;
    return inputs.then((found) => ({ ...known, inputs: found }));
  };

  /** Looks for the declared outputs of a job that succeeded, and for a full disk where one failed by itself. */
  const withFiles = (known: KnownEnd): KnownEnd | Promise<KnownEnd> => {
    const { attempt, account } = known;
    const { job, outputsBefore } = attempt;
    const writes = disk !== undefined && stdioOf(run.execution, job.name).mode !== 'none';
    if (writes) disk.ended(job.name);
    if (writes && failedByItself(known))
      return disk.shortage().then((shortage) => ({ ...known, account: { ...account, shortage } }));
    if (!job.output_files || account.exitCode !== 0) return known;
    return lookAfter(job, outputsBefore).then((outputs) => ({ ...known, outputs }));
  };

  return (ended, account) => {
    const known: KnownEnd = { ...ended, account, endedFor: ended.attempt.endedFor };
    const waitMs = waitMsOf(known);
    const heard = waitMs === 0 ? undefined : afterSharedSignal(ended.atMs, waitMs, isSignaled);
    const asked = andThen(heard, () => {
      if (!isBadEnd(account)) return withFirstSignal(known);
      return waitMs > 0 && !isSignaled() ? withoutSignal(known) : known;
    });
    return andThen(andThen(asked, withAllocation), (found) =>
      found === 'kept' ? found : andThen(withInputs(found), withFiles),
    );
  };
}

const endOf = (found: Fate): AllocationEnd | undefined =>
  found === 'preempted' || found === 'limit' || found === 'over' ? found : undefined;

/** With an exit code of its own that nothing else explains. */
const failedByItself = ({ endedFor, account: { exitCode = 0, endedBy, cause } }: KnownEnd): boolean =>
  exitCode > 0 &&
  exitCode <= LARGEST_OWN_CODE &&
  endedFor === undefined &&
  endedBy === undefined &&
  cause === undefined;

/** Larger ones stand for a signal. */
const LARGEST_OWN_CODE = 128;

/**
 * How long a success waits where Slurm kills the processes of an allocation one by one, children first: a script whose `sleep` was
 * killed goes on and exits with 0 before this process is killed. 12 ms were seen on a busy node.
 */
export const KILLED_LAST_MS = 200;

const LOOK_MS = 100;

/** Resolves when a signal that ended the attempt has reached the runner too, or this long after its end. */
function afterSharedSignal(endedAtMs: number, waitMs: number, isSignaled: () => boolean): Promise<void> {
  const untilMs = Math.min(Date.now(), endedAtMs) + waitMs;
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
