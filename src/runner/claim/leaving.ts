import type { ExchangeReply } from '../../core/contract/exchange.ts';
import { countOf, HELD, UNDER_WAY } from '../../core/job/statuses.ts';

export type ReportedCounts = ExchangeReply['jobs_by_status'];

/** Why an idle runner exits: no job came for it within its idle time, or none that is left can start. */
export type Ending = 'idle' | 'stuck';

export interface IdleRules {
  /** Exits after this long without a job; 0 means never. */
  readonly idleMs: number;
  /**
   * Exits when no job is ready or running for this long; at once with a server that releases jobs together with the end
   * of the last dependency.
   */
  readonly stuckMs: number;
}

/** When an idle runner exits if nothing changes, since its last progress: at once, after a while, or never (undefined). */
export interface Leaving {
  readonly ending: Ending;
  readonly reason: string;
  readonly afterMs: number | 'at once';
}

/** An idle runner exits when no job can start any more, or when no job came for it for a while. */
export function leavingOf(counts: ReportedCounts, { idleMs, stuckMs }: IdleRules): Leaving | undefined {
  if (countOf(counts, UNDER_WAY) === 0)
    return { ending: 'stuck', reason: stuckReason(counts), afterMs: stuckMs === 0 ? 'at once' : stuckMs };
  if (idleMs === 0) return undefined;
  return {
    ending: 'idle',
    reason: `no job for ${idleMs / 1000} s that this runner could take: ${counts.ready} ready, ${countOf(counts, HELD)} elsewhere`,
    afterMs: idleMs,
  };
}

function stuckReason({ blocked, pending_failed: undecided, uninitialized }: ReportedCounts): string {
  const parts = [
    blocked > 0 ? `${blocked} blocked` : '',
    undecided > 0 ? `${undecided} waiting for a decision` : '',
    uninitialized > 0 ? `${uninitialized} uninitialized` : '',
  ].filter((part) => part !== '');
  return `no job that is left can start, and no running job can change that: ${parts.join(', ')}`;
}
