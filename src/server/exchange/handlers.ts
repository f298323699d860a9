import { Refusal } from '../../core/contract/refusals.ts';
import { createDue } from '../act/due.ts';
import { dueQueries } from '../act/queries.ts';
import { createClaim } from '../claim/claim.ts';
import { claimQueries } from '../claim/queries.ts';
import { createTurnRecord } from '../claim/turns.ts';
import { createAllocationRooms } from '../claim/allocation-rooms.ts';
import { createUnneeded } from '../claim/unneeded.ts';
import { createWorkLeft } from '../claim/work-left.ts';
import { recoverQueries } from '../recover/queries.ts';
import { createRequeue } from '../recover/requeue.ts';
import { createAccept } from '../result/accept.ts';
import { resultReportQueries } from '../result/queries.ts';
import { createBegin } from '../result/start.ts';
import { createCounts } from '../records/job/counts.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { createExchange } from './exchange.ts';
import { createLost } from './lost.ts';
import { createRetried } from './retried.ts';
import { createSetup } from './setup.ts';

export const exchangeHandlers = (store: Store) => {
  const results = resultReportQueries(store.db);
  const recover = recoverQueries(store.db);
  const claims = claimQueries(store.db);
  const accept = createAccept(store, results);
  const retried = createRetried(store, { results, recover, accept });
  const counts = createCounts(store.db);
  const exchange = createExchange(store, {
    accept,
    retried,
    begin: createBegin(store, results),
    claim: createClaim(store, claims),
    turns: createTurnRecord(claims),
    counts,
    unneeded: createUnneeded(store, claims, {
      workLeft: createWorkLeft(store, claims, counts),
      allocationRooms: createAllocationRooms(store, claims),
    }),
    due: createDue(dueQueries(store.db)),
  });
  const setupOf = createSetup(store.db);
  const lost = createLost(store, { accept, retried, requeue: createRequeue(store, recover) });

  return {
    exchange({ params, body }) {
      try {
        const reply = exchange(params.id, body);
        return body.setup === true ? { ...reply, setup: setupOf(params.id) } : reply;
      } catch (error) {
        throw placed(error, store.changes.lastId);
      }
    },
    reportLostRunner: ({ params, body }) => lost(params.id, params.compute_node_id, body),
  } satisfies Partial<Handlers>;
};

/**
 * The refusal with the last change of this database. A runner that received a later one knows then that the database is
 * not the same, and that the other one may contain what this one lacks.
 */
function placed(error: unknown, changeId: number): unknown {
  if (!(error instanceof Refusal)) return error;
  return new Refusal(error.code, error.message, { ...error.facts, change_id: changeId }, { cause: error.cause });
}
