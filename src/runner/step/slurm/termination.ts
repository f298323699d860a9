import { signalCalled } from '../../../core/contract/signal.ts';
import type { ExecutionConfig } from '../../../core/contract/workflow.ts';

/** The time limit of a step is rounded down to whole minutes: its end may be this long before the kill time of the runner. */
const ROUNDING_SECONDS = 60;

/**
 * When and how jobs are asked to end in slurm mode: `srun_termination_signal` (`TERM@120`) is the signal, and the seconds before
 * the end. Slurm ignores the option for steps of an allocation, and srun would send it to the launcher of a long step, so
 * the runner sends it.
 */
export function slurmTermination(
  { srun_termination_signal: text }: ExecutionConfig,
  { isBatched }: { readonly isBatched: boolean },
): Pick<ExecutionConfig, 'termination_signal' | 'sigterm_lead_seconds'> {
  const [, name, seconds] = /^(?:[A-Z]+:)?(\w+?)(?:@(\d+))?$/i.exec(text?.trim() ?? '') ?? [];
  if (name === undefined) return {};
  const signal = /^\d+$/.test(name) ? undefined : signalCalled(name);
  return {
    ...(signal === undefined ? {} : { termination_signal: signal }),
    ...(seconds === undefined ? {} : { sigterm_lead_seconds: Number(seconds) + (isBatched ? 0 : ROUNDING_SECONDS) }),
  };
}
