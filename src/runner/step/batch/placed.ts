import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { Lease } from '../../claim/capacity.ts';
import type { StepAccount, StepEnd } from '../steps.ts';
import type { Carrier } from './carrier.ts';

/** A job that was sent to the launcher of a node and has not ended. */
export interface LaunchedJob {
  readonly job: ClaimedJob;
  readonly lease: Lease;
  readonly carrier: Carrier;
  readonly begun: (agoMs: number) => void;
}

/** What is known of an end before it is asked for. */
export type EndKnownAhead = Pick<StepAccount, 'endedBy' | 'asked' | 'cause' | 'stats' | 'refused' | 'isTakenBack'>;

export const NO_END = { exitCode: undefined, signal: undefined, cpuSeconds: undefined, peakBytes: undefined };

export type PlacedJobs = ReturnType<typeof createPlacedJobs>;

/** The jobs of all launchers, from their start until the account of their end was asked for. */
export function createPlacedJobs() {
  const placed = new Map<StepId, LaunchedJob>();
  const known = new Map<StepId, EndKnownAhead>();
  return {
    add: (id: StepId, each: LaunchedJob) => void placed.set(id, each),
    get: (id: StepId) => placed.get(id),
    has: (id: StepId) => placed.has(id),
    /** Those that were sent to one launcher. */
    of: (carrier: Carrier) => [...placed].filter(([, each]) => each.carrier === carrier),
    /** How many a node has. */
    countOn: (node: string) => [...placed.values()].filter(({ carrier }) => carrier.node === node).length,
    /** Lets go of a job that will be placed again. */
    drop: (id: StepId) => void placed.delete(id),
    /** A job has ended; what is known is kept for its account. */
    end(id: StepId, what: EndKnownAhead, end: Omit<StepEnd, 'id'> = NO_END): StepEnd {
      placed.delete(id);
      known.set(id, what);
      return { id, ...end };
    },
    account(end: StepEnd): StepAccount {
      const what = known.get(end.id) ?? {};
      known.delete(end.id);
      return { ...end, ...what };
    },
  };
}
