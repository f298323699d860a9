import type { StepId } from '../../core/contract/files/job.ts';
import { atMoment } from '../../client/long-timers.ts';
import { steadyNow } from '../../client/steady-clock.ts';
import type { EndedFor } from '../../core/attempt/evidence.ts';
import type { Termination } from './signals.ts';

/** Which limit of time a job reaches: that of its step, or its own. */
type Limit = Extract<EndedFor, 'deadline' | 'timeout'>;

export interface StepLimitsOptions extends Termination {
  readonly send: (ids: readonly StepId[], signal: NodeJS.Signals, limit: Limit) => void;
}

/** The moments of a step. One that is shorter than twice the lead has half of its time before the signal. */
export function momentsOf(beganAtMs: number, limitSeconds: number, leadSeconds: number) {
  const endAtMs = beganAtMs + limitSeconds * 1000;
  return { signalAtMs: endAtMs - Math.min(leadSeconds, limitSeconds / 2) * 1000, endAtMs };
}

/** Warnings that are due within this time go together: steps that end in the same minute would load the controller. */
const TOGETHER_MS = 1_000;

/**
 * While a job has a timeout, the clock is looked at this often. A batch system that suspends an allocation stops its runner and its jobs,
 * and this clock goes on: what a look is late by is not counted. Longer, and more of such a pause counts; shorter, and a runner wakes
 * more often.
 */
const LOOK_MS = 30_000;
/** Later than a busy machine makes a timer. Too small, and a load lengthens timeouts; too large, and short pauses count. */
const LATE_MS = 5_000;

interface Due {
  readonly id: StepId;
  readonly atMs: number;
  readonly signal: NodeJS.Signals;
  readonly limit: Limit;
}

export type StepLimits = ReturnType<typeof createStepLimits>;

/**
 * The limits of the time of single jobs, with one timer for all, and none where no job has a limit.
 *
 * Steps with a time limit of their own are warned before it (`srun_termination_signal`). Slurm 22.05 ignores the option for steps of an
 * allocation that exists, and it ends steps up to half a minute after their limit. So the runner signals each step that long before its
 * limit, and kills it at its limit.
 *
 * A job with a timeout has all of that time: it is signaled when it is over, and killed after the lead. The clock is one that stands
 * still while the machine is suspended.
 */
export function createStepLimits({ signal, leadSeconds, send }: StepLimitsOptions) {
  let open: Due[] = [];
  let timer: { cancel(): void } | undefined;
  /** When the timer was to fire. */
  let plannedMs = Infinity;

  /** Timeouts are later by a pause in which this process did not run. */
  const withoutPause = () => {
    const lateMs = steadyNow() - plannedMs;
    if (lateMs > LATE_MS) open = open.map((each) => postponed(each, lateMs));
    plannedMs = Infinity;
  };

  const arm = () => {
    timer?.cancel();
    if (open.length === 0) return;
    const lookMs = open.some(({ limit }) => limit === 'timeout') ? steadyNow() + LOOK_MS : Infinity;
    plannedMs = open.reduce((least, { atMs }) => Math.min(least, atMs), lookMs);
    // A busy process hears of ends after its timers: a job that has ended is not asked to, and is not called ended for its time.
    timer = atMoment(plannedMs, () => void setImmediate(fire));
  };

  const fire = () => {
    withoutPause();
    const now = steadyNow();
    const { due = [], left = [] } = Object.groupBy(open, (each) => (isDue(each, now) ? 'due' : 'left'));
    open = left;
    for (const group of Map.groupBy(due, (each) => `${each.limit} ${each.signal}`).values()) {
      const [{ signal: each, limit }] = group as [Due];
      send(
        group.map(({ id }) => id),
        each,
        limit,
      );
    }
    arm();
  };

  const add = (asked: Due, killedAtMs: number) => {
    withoutPause();
    open.push(asked, { ...asked, atMs: killedAtMs, signal: 'SIGKILL' });
    arm();
  };

  return {
    /** A step began at this moment of `steadyNow`, and may run so long. */
    begin(id: StepId, beganAtMs: number, limitSeconds: number) {
      const { signalAtMs, endAtMs } = momentsOf(beganAtMs, limitSeconds, leadSeconds);
      add({ id, atMs: signalAtMs, signal, limit: 'deadline' }, endAtMs);
    },
    /** A job with a timeout began at this moment of `steadyNow`. */
    beginTimeout(id: StepId, beganAtMs: number, seconds: number) {
      const atMs = beganAtMs + seconds * 1000;
      add({ id, atMs, signal, limit: 'timeout' }, atMs + leadSeconds * 1000);
    },
    /** It has ended. */
    forget(id: StepId) {
      if (open.length === 0) return;
      open = open.filter((each) => each.id !== id);
      if (open.length > 0) return;
      timer?.cancel();
      plannedMs = Infinity;
    },
  };
}

/** A warning may come a little early, the end of a job may not. */
const isDue = ({ atMs, limit }: Due, now: number): boolean => atMs <= now + (limit === 'deadline' ? TOGETHER_MS : 0);

/** The end of a step is that of its allocation, which is asked for again. */
const postponed = (due: Due, byMs: number): Due => (due.limit === 'timeout' ? { ...due, atMs: due.atMs + byMs } : due);
