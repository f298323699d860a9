import { counted } from '../../core/quantity/count-text.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { inParallel } from './in-parallel.ts';
import { type PlainJob, type Reads, READS_AT_ONCE } from './reads.ts';

export interface UnansweredOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly reads: Reads;
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
}

/** Claims whose reply was lost: they may have made jobs pending that no runner holds. */
export interface Unanswered {
  /** The reply to a claim was lost. */
  note(): void;
  /** Jobs that such a claim made pending and that are not among these, as far as this can be determined. */
  find(nodeId: number, ours: ReadonlySet<number>): Promise<readonly PlainJob[]>;
}

/**
 * The time in which a claim without a reply may still be executed: the time after which a client stops waiting for a
 * reply. Jobs that it claims later are not found.
 */
const DOUBT_MS = 120_000;

export function createUnanswered({ client, workflowId, reads, onWarning, now }: UnansweredOptions): Unanswered {
  let inDoubtUntil = 0;
  let hasWarned = false;
  return {
    note() {
      inDoubtUntil = now() + DOUBT_MS;
    },
    async find(nodeId, ours) {
      if (now() >= inDoubtUntil) return [];
      const query = { workflow_id: workflowId, status: 'pending' as const };
      const pending = (await all((page) => client.listJobs({ query: { ...query, ...page } }))) as PlainJob[];
      const others = pending.filter(({ id }) => !ours.has(id));
      if (others.length === 0) return [];
      // A list does not contain the ids of outputs.
      if (await reads.isAlone(nodeId)) return inParallel(others, READS_AT_ONCE, ({ id }) => reads.job(id));
      if (!hasWarned) onWarning(warningOf(others.length, workflowId));
      hasWarned = true;
      return [];
    },
  };
}

const warningOf = (count: number, workflowId: number): string =>
  `The reply to a claim was lost while other runners were active: ${counted(count, 'job is', 'jobs are')} pending, and some may be held by no runner. ` +
  `If jobs are still pending when no runner is active, reset them: torc jobs reset-status --status pending --workflow-id ${workflowId} --force --reinit`;
