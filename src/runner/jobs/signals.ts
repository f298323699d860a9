import { constants } from 'node:os';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Log } from '../facts/log.ts';
import type { Running, UnderWay } from './under-way.ts';
import type { StartedStep, StepEnd, Steps } from '../step/steps.ts';
import type { EndedFor } from '../../core/attempt/evidence.ts';
import type { Signaled } from '../attempt/shared-signal.ts';

export interface JobSignalsOptions {
  readonly workflowId: number;
  readonly underWay: UnderWay;
  readonly steps: Pick<Steps, 'signal' | 'kill'>;
  readonly log: Log;
}

/** Ends running jobs from outside, and remembers why. */
export interface Signals {
  /** When it signaled its jobs first, and why it did last; undefined if it did not. */
  readonly signaled: Signaled | undefined;
  /** Sends a signal to every running job. */
  signal(signal: NodeJS.Signals, endedFor: EndedFor): void;
  /** Sends a signal to these steps, which reach their time limit. */
  signalAtLimit(ids: readonly StepId[], signal: NodeJS.Signals): void;
  /** Sends a signal to this step, whose job was canceled. */
  cancel(id: StepId, signal: NodeJS.Signals): void;
  /** Kills a step, whose end then is one by memory; undefined if it has ended. */
  killForMemory(id: StepId): StartedStep['about'] | undefined;
  /** The ends of all running jobs as if SIGKILL had ended them now. */
  presumedEnds(): StepEnd[];
}

export function createJobSignals({ workflowId, underWay, steps, log }: JobSignalsOptions): Signals {
  let signaled: Signaled | undefined;
  const send = (attempt: Running, signal: NodeJS.Signals, endedFor: EndedFor) => {
    attempt.endedFor ??= endedFor;
    if (signal === 'SIGKILL') attempt.wasKilled = true;
    // A job that is canceled may be the last one: then the runner stops, and would say the same again.
    else if (attempt.askedBy === signal) return;
    attempt.askedBy = signal;
    log.write('info', `Job ${signal}`, { workflow_id: workflowId, job_id: attempt.job.id });
    steps.signal(attempt.step.id, signal);
  };
  return {
    get signaled() {
      return signaled;
    },
    signal(signal, endedFor) {
      signaled = { endedFor, atMs: signaled?.atMs ?? Date.now() };
      for (const attempt of underWay.running.values()) send(attempt, signal, endedFor);
    },
    signalAtLimit(ids, signal) {
      for (const id of ids) {
        const attempt = underWay.running.get(id);
        if (attempt !== undefined) send(attempt, signal, 'deadline');
      }
    },
    cancel(id, signal) {
      const attempt = underWay.running.get(id);
      if (attempt !== undefined) send(attempt, signal, 'cancel');
    },
    killForMemory(id) {
      const attempt = underWay.running.get(id);
      if (attempt === undefined) return undefined;
      attempt.endedFor ??= 'memory';
      attempt.wasKilled = true;
      steps.kill(id);
      return attempt.step.about;
    },
    presumedEnds() {
      const unknown = { exitCode: undefined, cpuSeconds: undefined, peakBytes: undefined };
      const signal = constants.signals.SIGKILL;
      return [...underWay.running.values()].map(({ step, job }) => {
        const which = { workflow_id: workflowId, job_id: job.id, ...step.about };
        log.write('error', 'Job does not end after SIGKILL; the runner exits without it', which);
        return { id: step.id, signal, ...unknown };
      });
    },
  };
}
