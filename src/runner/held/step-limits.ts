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

  const arm = () => {
    timer?.cancel();
    const nextMs = open.reduce((least, { atMs }) => Math.min(least, atMs), Infinity);
    timer = nextMs === Infinity ? undefined : atMoment(nextMs, fire);
  };

  const fire = () => {
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

  return {
    /** A step began at this moment of `steadyNow`, and may run so long. */
    begin(id: StepId, beganAtMs: number, limitSeconds: number) {
      const { signalAtMs, endAtMs } = momentsOf(beganAtMs, limitSeconds, leadSeconds);
      const limit = 'deadline';
      open.push({ id, atMs: signalAtMs, signal, limit }, { id, atMs: endAtMs, signal: 'SIGKILL', limit });
      arm();
    },
    /** A job with a timeout began at this moment of `steadyNow`. */
    beginTimeout(id: StepId, beganAtMs: number, seconds: number) {
      const atMs = beganAtMs + seconds * 1000;
      const limit = 'timeout';
      open.push({ id, atMs, signal, limit }, { id, atMs: atMs + leadSeconds * 1000, signal: 'SIGKILL', limit });
      arm();
    },
    /** It has ended. */
    forget(id: StepId) {
      if (open.length === 0) return;
      open = open.filter((each) => each.id !== id);
      if (open.length === 0) arm();
    },
  };
}

/** A warning may come a little early, the end of a job may not. */
const isDue = ({ atMs, limit }: Due, now: number): boolean => atMs <= now + (limit === 'deadline' ? TOGETHER_MS : 0);
