import { createFileRemovalQueue } from '../records/file/removal-queue.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { createDue } from '../act/due.ts';
import { dueQueries } from '../act/queries.ts';
import { createClaim } from '../claim/claim.ts';
import { claimQueries } from '../claim/queries.ts';
import { createTurnRecord } from '../claim/turns.ts';
import { createAllocationRooms } from '../claim/allocation-rooms.ts';
import { createUnneeded } from '../claim/unneeded/unneeded.ts';
import { createWorkLeft } from '../claim/work-left.ts';
import { recoverQueries } from '../recover/queries.ts';
import { attemptKey, createRequeue } from '../recover/requeue.ts';
import { type Accept, createAccept } from '../result/accept.ts';
import { resultReportQueries } from '../result/queries.ts';
import { createBegin } from '../result/start.ts';
import { createCounts } from '../records/job/counts.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { attemptEndOf, createExchange, refusedEntries, retriedOf } from './exchange.ts';
import { createRetried, type RetriedEnds } from './retried.ts';
import type { LostRunner, LostRunnerReply, RunnerSetup } from '../../core/contract/exchange.ts';
import { createActionRecords } from '../records/action/claims.ts';
import { foundRow, refuseOtherRun } from '../records/find.ts';
import { failureHandlerQueries } from '../records/failure-handler/queries.ts';
import type { Database } from '../store/database.ts';
import { setupQueries } from './queries.ts';

export const exchangeHandlers = (store: Store) => {
  const results = resultReportQueries(store.db);
  const recover = recoverQueries(store.db);
  const claims = claimQueries(store.db);
  const accept = createAccept(store, results);
  const retried = createRetried(store, { results, recover, accept });
  const counts = createCounts(store.db);
  const removals = createFileRemovalQueue(store);
  const exchange = createExchange(store, {
    accept,
    retried,
    begin: createBegin(store, results),
    claim: createClaim(store, claims),
    turns: createTurnRecord(claims),
    counts,
    unneeded: createUnneeded(store, {
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
    removeFiles({ params: { id: workflowId }, body }) {
      const { run_id: current } = store.find.run(workflowId);
      refuseOtherRun(body.run_id, current);
      return { files: removals.settle(workflowId, body) };
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

/**
 * The last exchange of a runner that is proven lost: the ends in its ledger are processed as if it had reported them
 * itself, and its other jobs are recovered.
 */
const createLost = (
  { db, find, now }: Store,
  {
    accept,
    retried,
    requeue,
  }: { readonly accept: Accept; readonly retried: RetriedEnds; readonly requeue: ReturnType<typeof createRequeue> },
) => {
  const claims = createActionRecords(db, now);
  return (
    workflowId: number,
    nodeId: number,
    { run_id: runId, started, completed, retried: again, actions, reason }: LostRunner,
  ): LostRunnerReply => {
    const { run_id: current } = find.run(workflowId);
    refuseOtherRun(runId, current);
    foundRow(requeue.node(workflowId, nodeId), 'compute_node', nodeId);
    const ends = (completed ?? []).map((each) => attemptEndOf(each, workflowId, runId, nodeId));
    const verdicts = accept(workflowId, ends, 'holder');
    const runAgain = (again ?? []).map((each) => retriedOf(each, workflowId, runId, nodeId));
    const verdictsAgain = retried(workflowId, runAgain);
    const began = started
      ? new Set(started.map(({ job_id: id, attempt_id: attempt }) => attemptKey(id, attempt)))
      : undefined;
    const { armed, interrupted } = claims.settle({ workflowId, nodeId }, actions ?? {}, reason);
    const { requeued, returned } = requeue.takeBack({ workflowId, runId, nodeId, reason }, began);
    return {
      completed: ends.filter((_, index) => verdicts[index] === 'accepted').map(({ jobId }) => jobId),
      errors: [...refusedEntries(verdicts, completed ?? []), ...refusedEntries(verdictsAgain, again ?? [])],
      requeued: [
        ...runAgain.filter((_, index) => verdictsAgain[index] === 'accepted').map(({ jobId }) => jobId),
        ...requeued,
      ],
      returned,
      ...(armed.length === 0 ? {} : { actions_armed: armed }),
      ...(interrupted.length === 0 ? {} : { actions_interrupted: interrupted }),
    };
  };
};

/** More are not part of the reply. */
const MOST_HANDLERS = 100;

/** What a runner needs to know of a workflow once; three requests less for each runner that starts. */
function createSetup(db: Database): (workflowId: number) => RunnerSetup {
  const facts = setupQueries(db);
  const { handlers } = failureHandlerQueries(db);
  return (workflowId) => {
    const { default_requirements_id, has_actions } = facts.get({ workflowId })!;
    const { items, has_more: isLonger } = handlers.list({ workflow_id: workflowId, limit: MOST_HANDLERS });
    return {
      default_requirements_id: default_requirements_id ?? undefined,
      has_actions: has_actions === 1,
      failure_handlers: isLonger ? undefined : items,
    };
  };
}
