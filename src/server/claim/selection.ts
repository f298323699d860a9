import type { Want } from '../../core/contract/exchange.ts';
import { covers, refuseBadLabels, sortedLabels } from '../../core/lifecycle/placement/labels.ts';
import type { ComputeNodesResources } from '../../core/contract/resources.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import { type JobLimit, limitsOn } from '../../core/lifecycle/placement/limits.ts';
import type { LimitCounts, LimitAsker } from '../records/limits/limit-counts.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { jobKindOf } from './kind.ts';
import { byPriority, type ClaimableClass, walkReady } from './merge.ts';
import { type ChosenJob, fitsOffer, isBoundTo, pack, placesOf, type WithinLimits } from './offer.ts';
import type { ClaimQueries } from './queries.ts';

/** Whose ready jobs: those of a workflow, or of one choice in it. */
interface Among {
  readonly workflowId: number;
  readonly choice?: number | undefined;
}

/** Who claims, and among which jobs. */
export interface Asker extends LimitAsker, Among {
  /** The limits that bound the claim, where they were looked up for another part of it. */
  readonly limits?: readonly JobLimit[] | undefined;
}

/** The next jobs of a claim: at most `limit` to start and `prefetch` ahead; empty if there are no more. */
export type ClaimParts<Job> = (limit: number, prefetch: number) => Job[];

/**
 * Chooses ready jobs for a runner, by priority, and only those whose labels it covers. Nothing is changed.
 *
 * With an `offer`, up to `limit` jobs are packed into it, and up to `prefetch` more are chosen that fit into the
 * runner's empty node. Without an offer, jobs are counted and their requirements ignored.
 */
export function createSelection(queries: ClaimQueries, limits: LimitCounts) {
  const classesOf = ({ workflowId, choice }: Among): ClaimableClass[] => {
    const rows =
      choice === undefined
        ? queries.claimable.all({ workflowId })
        : queries.claimableOfChoice.all({ workflowId, choice });
    return rows.map((row) => ({
      id: row.id,
      ...jobKindOf(row),
      head: { id: row.head_id, priority: row.head_priority },
    }));
  };

  const limitsOf = ({ workflowId, limits: known }: Asker, want: Want) =>
    known ?? limits.limitsOfClaim(workflowId, want);

  /** The room of limits; a workflow that finds one full is noted, so that its runners learn when there is room. */
  const limitsFor = (asker: Asker, want: Want, runnerNodes: number): WithinLimits | undefined => {
    const room = limits.roomFor(asker, limitsOf(asker, want), runnerNodes);
    if (room === undefined) return undefined;
    return {
      counts: (need) => room.counts(need),
      take: (need) => room.take(need),
      isFull(need) {
        const full = room.full(need);
        if (full !== undefined) limits.waitFor(asker, full);
        return full !== undefined;
      },
    };
  };

  const fetchAmong =
    ({ choice }: Among) =>
    (classId: number, limit: number, offset: number) =>
      choice === undefined
        ? queries.ready.all({ classId, limit, offset })
        : queries.readyOfChoice.all({ choice, classId, limit, offset });

  /** Successive parts of one claim by resources: together they take the same jobs as a single claim. */
  const byResources = (among: Asker, want: Want, offer: ComputeNodesResources): ClaimParts<ChosenJob> => {
    const fetch = fetchAmong(among);
    refuseBadLabels(offer.labels);
    const { room } = placesOf(want, offer);
    const fits = fitsOffer(want, offer);
    const isBound = isBoundTo(offer);
    let free = room();
    /** No job was found yet, so jobs of another scheduler may follow. */
    let isUndecided = want.strict_scheduler_match !== true;
    let isForAny = false;

    return (limit, prefetch) => {
      const eligible = classesOf(among).filter(fits);
      const amount = { limit, prefetch };
      const within = limitsFor(among, want, offer.num_nodes);
      const bound = isForAny ? eligible : eligible.filter(isBound);
      let chosen = pack(bound, amount, { free, within }, fetch);
      if (chosen.length === 0 && isUndecided && bound.length < eligible.length) {
        isForAny = true;
        free = room();
        chosen = pack(eligible, amount, { free, within }, fetch);
      }
      isUndecided = false;
      return chosen;
    };
  };

  const inOrder = (among: Asker, want: Want): ClaimParts<ChosenJob> => {
    refuseBadLabels(want.labels);
    const labels = sortedLabels(want.labels);
    return (limit, prefetch) => {
      const chosen: ChosenJob[] = [];
      const atMost = limit + prefetch;
      const classes = classesOf(among).filter((each) => covers(labels, each.labels));
      const within = limitsFor(among, want, 1);
      walkReady(classes, byPriority, atMost, fetchAmong(among), (id, need) => {
        if (within?.isFull(need) || (chosen.length >= limit && within?.counts(need))) return 'drop-class';
        within?.take(need);
        chosen.push({ id, need });
        return chosen.length === atMost ? 'stop' : 'next';
      });
      return chosen;
    };
  };

  return {
    /** Each call chooses among the jobs that are ready by then: those chosen before must have been claimed. */
    parts: (among: Asker, want: Want): ClaimParts<ChosenJob> =>
      want.offer ? byResources(among, want, want.offer) : inOrder(among, want),

    /** Whether a limit counts jobs of a kind: such jobs are not claimed before they can start. */
    isLimited: (asker: Asker, want: Want): ((kind: JobKind) => boolean) => {
      const all = limitsOf(asker, want);
      return ({ need }) => limitsOn(need, all).length > 0;
    },

    /** The highest priority among ready jobs of these kinds. */
    topPriority: (among: Among, fits: (kind: JobKind) => boolean): number =>
      greatest(
        classesOf(among)
          .filter(fits)
          .map(({ head }) => head.priority),
      ),
  };
}

/** Could the runner take a job of this kind ahead? */
export function fitsAhead(want: Want): (kind: JobKind) => boolean {
  const { offer } = want;
  if (!offer) {
    const labels = sortedLabels(want.labels);
    return (kind) => covers(labels, kind.labels);
  }
  const fits = fitsOffer(want, offer);
  const isBound = isBoundTo(offer);
  return (kind) => fits(kind) && isBound(kind);
}
