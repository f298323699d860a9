import { after } from '../../client/long-timers.ts';
import type { HeldAttempt } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Steps } from '../step/steps.ts';
import type { PendingJobs } from './pending-jobs.ts';
import type { Signals } from './signals.ts';
import type { Running, UnderWay } from './under-way.ts';

export interface EndingOptions {
  readonly underWay: Pick<UnderWay, 'running'>;
  readonly pending: Pick<PendingJobs, 'drop'>;
  readonly signals: Pick<Signals, 'cancel'>;
  readonly steps: Pick<Steps, 'takeBack'>;
}

/** How a job is asked to end, and the time that it has before SIGKILL. */
export interface Termination {
  readonly signal: NodeJS.Signals;
  readonly leadSeconds: number;
}

/**
 * Ends single attempts whose jobs were canceled, while the others go on. The server names them in every reply until they are over,
 * so a call that comes again changes nothing.
 *
 * A job that waits here is given back. One that was sent ahead is taken back; if it began in the meantime, the next reply names it
 * again.
 */
export function createEnding({ underWay, pending, signals, steps }: EndingOptions) {
  const asked = new Set<StepId>();
  const killLeft = (ids: readonly StepId[]) => {
    for (const id of ids) {
      asked.delete(id);
      if (underWay.running.has(id)) signals.cancel(id, 'SIGKILL');
    }
  };
  return (attempts: readonly HeldAttempt[], { signal, leadSeconds }: Termination): void => {
    const keys = new Set(attempts.map(keyOf));
    const isMeant = ({ id, attempt_id }: Running['job']) => keys.has(keyOf({ job_id: id, attempt_id }));
    pending.drop(isMeant);
    const begun: StepId[] = [];
    for (const attempt of underWay.running.values()) {
      const { id } = attempt.step;
      if (!isMeant(attempt.job) || asked.has(id)) continue;
      if (attempt.before === undefined) begun.push(id);
      else {
        attempt.isCanceled = true;
        steps.takeBack?.(id);
      }
    }
    for (const id of begun) {
      asked.add(id);
      signals.cancel(id, signal);
    }
    if (begun.length > 0) after(leadSeconds * 1000, () => killLeft(begun)).unref();
  };
}

const keyOf = ({ job_id: job, attempt_id: attempt }: HeldAttempt) => `${job} ${attempt}`;
