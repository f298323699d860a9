import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { OverRequest } from '../facts/options.ts';

/** Jobs that are named at the end of a run; the others are counted. */
const NAMED = 5;

/** Remembers the jobs that used more memory than they asked for and were not ended for it. */
export interface OverRequests extends OverRequest {
  add(job: Pick<ClaimedJob, 'id' | 'name'>, peakBytes: number, askedBytes: number): void;
}

export function createOverRequests(): OverRequests {
  const ids = new Set<number>();
  const named = new Map<number, OverRequest['named'][number]>();
  return {
    add({ id, name }, peakBytes, askedBytes) {
      ids.add(id);
      // A later attempt of the same job takes the place of the earlier one.
      if (named.has(id) || named.size < NAMED) named.set(id, { id, name, peakBytes, askedBytes });
    },
    get jobs() {
      return ids.size;
    },
    get named() {
      return [...named.values()];
    },
  };
}
