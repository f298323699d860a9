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

/** The jobs of all launchers, from their start until the account of their end was asked for. */
export interface PlacedJobs {
  add(id: StepId, placed: LaunchedJob): void;
  get(id: StepId): LaunchedJob | undefined;
  has(id: StepId): boolean;
  /** Those that were sent to one launcher. */
  of(carrier: Carrier): readonly (readonly [StepId, LaunchedJob])[];
  /** How many a node has. */
  countOn(node: string): number;
  /** Lets go of a job that will be placed again. */
  drop(id: StepId): void;
  /** A job has ended; `known` is kept for its account. */
  end(id: StepId, known: EndKnownAhead, end?: Omit<StepEnd, 'id'>): StepEnd;
  account(end: StepEnd): StepAccount;
}

export function createPlacedJobs(): PlacedJobs {
  const placed = new Map<StepId, LaunchedJob>();
  const known = new Map<StepId, EndKnownAhead>();
  return {
    add: (id, each) => void placed.set(id, each),
    get: (id) => placed.get(id),
    has: (id) => placed.has(id),
    of: (carrier) => [...placed].filter(([, each]) => each.carrier === carrier),
    countOn: (node) => [...placed.values()].filter(({ carrier }) => carrier.node === node).length,
    drop: (id) => void placed.delete(id),
    end(id, what, end = NO_END) {
      placed.delete(id);
      known.set(id, what);
      return { id, ...end };
    },
    account(end) {
      const what = known.get(end.id) ?? {};
      known.delete(end.id);
      return { ...end, ...what };
    },
  };
}
