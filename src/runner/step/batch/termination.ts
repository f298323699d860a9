import { signalCalled } from '../../../core/contract/signal.ts';
import type { ExecutionConfig } from '../../../core/contract/workflow.ts';

/**
 * The termination of jobs inside a step of the runner: `srun_termination_signal` (`TERM@120`) is the signal, and the time
 * before the kill. srun would send it to the launcher, so the runner does, as in direct mode.
 */
export function batchTermination({
  srun_termination_signal: text,
}: ExecutionConfig): Pick<ExecutionConfig, 'termination_signal' | 'sigterm_lead_seconds'> {
  const [, name, seconds] = /^(?:[A-Z]+:)?(\w+?)(?:@(\d+))?$/i.exec(text?.trim() ?? '') ?? [];
  if (name === undefined) return {};
  const signal = /^\d+$/.test(name) ? undefined : signalCalled(name);
  return {
    ...(signal === undefined ? {} : { termination_signal: signal }),
    ...(seconds === undefined ? {} : { sigterm_lead_seconds: Number(seconds) }),
  };
}
