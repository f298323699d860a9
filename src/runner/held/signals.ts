import { constants } from 'node:os';
import { after } from '../../client/long-timers.ts';
import type { EndedFor } from '../../core/attempt/evidence.ts';
import type { Signaled } from '../../core/attempt/shared-signal.ts';
import type { HeldAttempt } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { StartedStep, StepEnd, Steps } from '../step/steps.ts';
import { attemptKeyOf, attemptKeys, type JobStates, type PlacedAttempt } from './job-states.ts';

export interface SignalsOptions {
  readonly run: Pick<CurrentRun, 'workflowId' | 'log'>;
  readonly jobs: Pick<JobStates, 'running'>;
  readonly steps: Pick<Steps, 'signal' | 'kill' | 'takeBack'>;
}

/** How a job is asked to end, and the time that it has before SIGKILL. */
export interface Termination {
  readonly signal: NodeJS.Signals;
  readonly leadSeconds: number;
}

/** Ends running jobs from outside, and remembers why. */
export function createSignals({ run, jobs, steps }: SignalsOptions) {
  const { workflowId, log } = run;
  let signaled: Signaled | undefined;
  const canceled = new Set<StepId>();
  const send = (attempt: PlacedAttempt, signal: NodeJS.Signals, endedFor: EndedFor) => {
    attempt.endedFor ??= endedFor;
    if (signal === 'SIGKILL') attempt.wasKilled = true;
    // A job that is canceled may be the last one: then the runner stops, and would say the same again.
    else if (attempt.askedBy === signal) return;
    attempt.askedBy = signal;
    log.write('info', `Job ${signal}`, { workflow_id: workflowId, job_id: attempt.job.id });
    steps.signal(attempt.step.id, signal);
  };
  const sendTo = (ids: readonly StepId[], signal: NodeJS.Signals, endedFor: EndedFor) => {
    for (const id of ids) {
      const attempt = jobs.running.get(id);
      if (attempt !== undefined) send(attempt, signal, endedFor);
    }
  };
  return {
    /** When it signaled its jobs first, and why it did last; undefined if it did not. */
    get signaled() {
      return signaled;
    },
    /** Sends a signal to every running job. */
    signal(signal: NodeJS.Signals, endedFor: EndedFor) {
      signaled = { endedFor, atMs: signaled?.atMs ?? Date.now() };
      for (const attempt of jobs.running.values()) send(attempt, signal, endedFor);
    },
    /** Sends a signal to these steps, which reach a limit of their time. */
    signalAtLimit: sendTo,
    /**
     * Ends these attempts, whose jobs were canceled, while the others go on. The server names them in every reply until they are over,
     * so a call that comes again changes nothing. One that was sent ahead is taken back; if it began in the meantime, the next
     * reply names it again.
     */
    cancel(attempts: readonly HeldAttempt[], { signal, leadSeconds }: Termination) {
      const keys = attemptKeys(attempts);
      const meant = [...jobs.running.values()].filter(
        ({ job, step }) => keys.has(attemptKeyOf(job)) && !canceled.has(step.id),
      );
      for (const attempt of meant) {
        if (attempt.state !== 'sent ahead') continue;
        attempt.isCanceled = true;
        steps.takeBack?.(attempt.step.id);
      }
      const ids = meant.filter(({ state }) => state === 'running').map(({ step }) => step.id);
      if (ids.length === 0) return;
      for (const id of ids) canceled.add(id);
      sendTo(ids, signal, 'cancel');
      after(leadSeconds * 1000, () => {
        for (const id of ids) canceled.delete(id);
        sendTo(ids, 'SIGKILL', 'cancel');
      }).unref();
    },
    /** Kills a step, whose end then is one by memory; undefined if it has ended. */
    killForMemory(id: StepId): StartedStep['about'] | undefined {
      const attempt = jobs.running.get(id);
      if (attempt === undefined) return undefined;
      attempt.endedFor ??= 'memory';
      attempt.wasKilled = true;
      steps.kill(id);
      return attempt.step.about;
    },
    /** The ends of all running jobs as if SIGKILL had ended them now. */
    presumedEnds(): StepEnd[] {
      const unknown = { exitCode: undefined, cpuSeconds: undefined, peakBytes: undefined };
      const signal = constants.signals.SIGKILL;
      return [...jobs.running.values()].map(({ step, job }) => {
        const which = { workflow_id: workflowId, job_id: job.id, ...step.about };
        log.write('error', 'Job does not end after SIGKILL; the runner exits without it', which);
        return { id: step.id, signal, ...unknown };
      });
    },
  };
}
