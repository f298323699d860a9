import type { StepId } from '../../core/contract/files/job.ts';
import { atMoment } from '../../client/long-timers.ts';
import { steadyNow } from '../../client/steady-clock.ts';
import type { Termination } from './signals.ts';

export interface StepLimitsOptions extends Termination {
  readonly send: (ids: readonly StepId[], signal: NodeJS.Signals) => void;
}

/** The moments of a step. One that is shorter than twice the lead has half of its time before the signal. */
export function momentsOf(beganAtMs: number, limitSeconds: number, leadSeconds: number) {
  const endAtMs = beganAtMs + limitSeconds * 1000;
  return { signalAtMs: endAtMs - Math.min(leadSeconds, limitSeconds / 2) * 1000, endAtMs };
}

/** Signals that are due within this time go together: steps that end in the same minute would load the controller. */
const TOGETHER_MS = 1_000;

interface Due {
  readonly id: StepId;
  readonly atMs: number;
  readonly signal: NodeJS.Signals;
}

export type StepLimits = ReturnType<typeof createStepLimits>;

/**
 * The early warning of steps with a time limit of their own (`srun_termination_signal`).
 *
 * Slurm 22.05 ignores the option for steps of an allocation that exists, and it ends steps up to half a minute after their
 * limit. So the runner signals each step that long before its limit, and kills it at its limit.
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
    const untilMs = steadyNow() + TOGETHER_MS;
    const due = Map.groupBy(
      open.filter(({ atMs }) => atMs <= untilMs),
      (each) => each.signal,
    );
    open = open.filter(({ atMs }) => atMs > untilMs);
    for (const [each, steps] of due)
      send(
        steps.map(({ id }) => id),
        each,
      );
    arm();
  };

  return {
    /** A step began at this moment of `steadyNow`, and may run so long. */
    begin(id: StepId, beganAtMs: number, limitSeconds: number) {
      const { signalAtMs, endAtMs } = momentsOf(beganAtMs, limitSeconds, leadSeconds);
      open.push({ id, atMs: signalAtMs, signal }, { id, atMs: endAtMs, signal: 'SIGKILL' });
      arm();
    },
    /** It has ended. */
    forget(id: StepId) {
      open = open.filter((each) => each.id !== id);
      if (open.length === 0) arm();
    },
  };
}
