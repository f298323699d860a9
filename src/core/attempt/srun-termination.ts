import { signalCalled, signalName } from './signal.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';

/**
 * When and how jobs are asked to end in slurm mode: `srun_termination_signal` (`TERM@120`) is the signal, and the seconds before
 * the end of a step, which the runner counts. Slurm ignores the option for steps of an allocation that exists, and srun would
 * send it to the launcher of a long step.
 */
export function slurmTermination({
  srun_termination_signal: text,
}: ExecutionConfig): Pick<ExecutionConfig, 'termination_signal' | 'sigterm_lead_seconds'> {
  const [, name, seconds] = /^(?:[A-Z]+:)?(\w+?)(?:@(\d+))?$/i.exec(text?.trim() ?? '') ?? [];
  if (name === undefined) return {};
  const signal = /^\d+$/.test(name) ? signalName(Number(name)) : signalCalled(name);
  return {
    ...(signal === undefined ? {} : { termination_signal: signal }),
    ...(seconds === undefined ? {} : { sigterm_lead_seconds: Number(seconds) }),
  };
}
