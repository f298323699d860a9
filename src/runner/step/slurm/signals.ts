import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Log } from '../../facts/log.ts';
import type { RunningStep } from './running-step.ts';
import type { StepIds } from './step-ids.ts';

export interface StepSignalsOptions {
  readonly slurm: Pick<AllocationSteps, 'signal'>;
  readonly running: ReadonlyMap<StepId, RunningStep>;
  readonly ids: StepIds;
  /** Ends a step that was not launched yet; false if it was. */
  readonly withdraw: (id: StepId) => boolean;
  /** A signal reaches every process of a step (`Manner`). */
  readonly reachesAll: boolean;
  readonly log: Log;
}

/** An ended step is gone from its srun after this long, also if its node does not answer at once. */
const SRUN_ENDS_MS = 5_000;

/** Sends signals to steps: all of one moment in one call of scancel, for srun would turn SIGTERM into SIGKILL. */
export function createStepSignals({ slurm, running, ids, withdraw, reachesAll, log }: StepSignalsOptions) {
  const waiting = new Map<NodeJS.Signals, Set<StepId>>();

  const killSrun = (id: StepId, { pid }: RunningStep) => {
    if (pid === undefined) return;
    if (ids.of(id) === undefined) {
      signalGroup(pid, 'SIGTERM');
      return;
    }
    // srun ends by itself when its step is gone; it is killed only if it does not.
    setTimeout(() => running.get(id)?.pid === pid && signalGroup(pid, 'SIGKILL'), SRUN_ENDS_MS).unref();
  };

  /** scancel fails too where a step has no process on one of its nodes; the others have got the signal. */
  const send = async (signal: NodeJS.Signals, known: readonly string[]): Promise<void> => {
    try {
      await slurm.signal(known, signal);
    } catch (error) {
      log.write('warn', 'Steps could not be signaled', { signal, reason: (error as Error).message });
    }
  };

  const sendTo = async (signal: NodeJS.Signals, steps: readonly StepId[]): Promise<void> => {
    await ids.learn(steps);
    const known = steps.flatMap((id) => (running.has(id) ? (ids.of(id) ?? []) : []));
    // As Slurm does, so that the shell around each command has looked which signals the command handles before its children are signaled.
    if (reachesAll && signal !== 'SIGKILL') await send('SIGCONT', known);
    await send(signal, known);
    // A step that Slurm does not list waits in its srun, which ends it; so does a step that nothing else can kill.
    for (const id of steps) {
      const step = running.get(id);
      if (step !== undefined && (ids.of(id) === undefined || signal === 'SIGKILL')) killSrun(id, step);
    }
  };

  const sendAll = async () => {
    const batches = [...waiting].map(([signal, steps]) => [signal, [...steps].filter((id) => !withdraw(id))] as const);
    waiting.clear();
    for (const [signal, steps] of batches) await sendTo(signal, steps);
  };

  return (id: StepId, signal: NodeJS.Signals): void => {
    const step = running.get(id);
    if (step === undefined) return;
    step.isSignaled = true;
    step.isKilled ||= signal === 'SIGKILL';
    if (waiting.size === 0) setImmediate(() => void sendAll());
    const steps = waiting.get(signal) ?? new Set();
    waiting.set(signal, steps.add(id));
  };
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
