import type { Ahead, AheadJob, ChoiceState, ClaimedJob, Want } from '../../core/contract/exchange.ts';
import type { Store } from '../records/store.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import { createAheadClaims } from './ahead.ts';
import { createClaimedJobs } from './claimed-jobs.ts';
import { createGiveBack, type RunnerOfWorkflow } from './give-back.ts';
import type { ClaimQueries } from './queries.ts';
import { type Asker, createSelection, fitsAhead, type ClaimParts } from './selection.ts';

/** Assigns ready jobs to a runner; no job is assigned twice. `selection.ts` says which jobs. */
export const createClaim = (store: Store, queries: ClaimQueries) => {
  const { changes } = store;
  const selection = createSelection(queries, store.limitCounts);
  const claimedJobs = createClaimedJobs(queries);
  const ahead = createAheadClaims(queries);
  const { giveBack, giveBackAllBut, dropUnknown } = createGiveBack(store, queries);

  /** A claim that is executed in parts, each in its own transaction: together they take the same jobs as a single one. */
  const inParts = (asker: Asker, want: Want): ClaimParts<ClaimedJob> => {
    const { workflowId, nodeId } = asker;
    const next = selection.parts(asker, want);
    return (limit, prefetch) => {
      const chosen = next(limit, prefetch);
      if (chosen.length === 0) return [];
      const ids = chosen.map(({ id }) => id);
      queries.markPending.run({ ids: JSON.stringify(ids), nodeId });
      changes.record(workflowId, 'jobs_claimed', [{ compute_node_id: nodeId, job_ids: ids }]);
      return claimedJobs.of(workflowId, chosen);
    };
  };

  return {
    /** The jobs for a claim. A canceled workflow assigns none; the callers check that first. */
    claim(asker: Asker, want: Want): ClaimedJob[] {
      if (want.limit + want.prefetch <= 0) return [];
      return inParts(asker, want)(want.limit, want.prefetch);
    },
    inParts,

    /**
     * The jobs that are pending in the name of the runner and that it does not hold, because their reply was lost. They
     * are assigned again.
     */
    handAgain(holder: RunnerOfWorkflow, held: readonly number[]): ClaimedJob[] {
      const known = new Set(held);
      dropUnknown(holder, known);
      return claimedJobs.pending(holder, (id) => !known.has(id));
    },

    /** The jobs of a repeated reply, as far as they are still pending in the name of the runner. */
    handSame(holder: RunnerOfWorkflow, jobIds: readonly number[]): ClaimedJob[] {
      if (jobIds.length === 0) return [];
      const wanted = new Set(jobIds);
      return claimedJobs.pending(holder, (id) => wanted.has(id));
    },

    /** Jobs that wait only for jobs which the runner holds; `assigned` are those of this turn. */
    claimAhead(holder: RunnerOfWorkflow & Asker, want: Want, assigned: readonly number[]): Ahead | undefined {
      const { limit = 0, after } = want.ahead ?? {};
      if (limit === 0) return undefined;
      const { workflowId, choice } = holder;
      const couldFit = fitsAhead(want);
      const isLimited = selection.isLimited(holder, want);
      const fits = (kind: JobKind) => couldFit(kind) && !isLimited(kind);
      let least: number | undefined;
      const chosen = ahead.choose(holder, {
        limit,
        choice: choice ?? null,
        after: [...assigned, ...(after ?? [])],
        fits,
        leastPriority: () => (least ??= selection.topPriority({ workflowId, choice }, fits)),
      });
      return {
        jobs: claimedJobs.ahead(workflowId, chosen.jobs),
        rest: [...chosen.rest],
        settled: [...chosen.settled],
      };
    },

    /** Those of an answer that is given a second time, as far as they are still claimed ahead. */
    aheadSame(holder: RunnerOfWorkflow, jobIds: readonly number[]): AheadJob[] {
      if (jobIds.length === 0) return [];
      return claimedJobs.ahead(holder.workflowId, ahead.again(holder, new Set(jobIds)));
    },

    choiceState(choice: number): ChoiceState {
      if (queries.underWayOfChoice.get({ choice }) !== undefined) return 'under_way';
      return queries.openOfChoice.get({ choice }) === undefined ? 'complete' : 'waiting';
    },

    giveBack,
    giveBackAllBut,
  };
};

export type Claim = ReturnType<typeof createClaim>;
