import type { Need } from '../../core/contract/exchange.ts';
import { ENDED } from '../../core/job/statuses.ts';
import { statusOf } from '../../core/contract/job.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import type { RunnerOfWorkflow } from './give-back.ts';
import { createKinds } from './kind.ts';
import type { ClaimQueries, Dependent } from './queries.ts';

/** A job that is claimed ahead, with the jobs that it still waits for. */
export interface ChosenAhead {
  readonly id: number;
  readonly need: Need;
  readonly waitsFor: readonly number[];
}

export interface AheadWanted {
  readonly limit: number;
  /** Only jobs of this choice; null: any. */
  readonly choice: number | null;
  /** Held jobs whose dependents are looked at, best first. */
  readonly after: readonly number[];
  /** Could the runner take a job of this kind? */
  readonly fits: (kind: JobKind) => boolean;
  /** The highest priority among ready jobs that the runner could take: no job of a lower one overtakes it. */
  readonly leastPriority: () => number;
}

export interface AheadChosen {
  readonly jobs: readonly ChosenAhead[];
  readonly rest: readonly number[];
  readonly settled: readonly number[];
}

/**
 * Edges that are read of a job, in each direction. A job with more of them gains nothing by a claim ahead: it waits for
 * many jobs, or its end makes many ready, which other runners want, too.
 */
const MOST_EDGES = 32;
/** Held jobs that one exchange looks at, 5 µs each and as much for each dependent. */
const MOST_PARENTS = 256;
/** Held jobs that the reply names for the next exchange. */
const MOST_REST = 64;

/**
 * Claims jobs that wait only for jobs which the runner holds, level by level (ADR 4).
 *
 * Such a job can only become ready by a report of this runner, so no other runner loses by the claim: the job stays blocked,
 * in the name of the runner, and becomes pending in its name when the last job that it waits for completes.
 */
export const createAheadClaims = (queries: ClaimQueries) => {
  /** The jobs that it waits for, if the runner holds them all. */
  const waitsFor = (id: number, unmet: number, nodeId: number): number[] | undefined => {
    const upstream = queries.upstream.all({ id, limit: MOST_EDGES + 1 });
    if (upstream.length > MOST_EDGES) return undefined;
    const open = upstream.filter(({ status }) => !ENDED.has(statusOf(status)));
    // Fewer than are counted: the release of others is still queued.
    if (open.length === 0 || open.length !== unmet) return undefined;
    return open.every(({ claimed_by: holder }) => holder === nodeId) ? open.map((each) => each.id) : undefined;
  };

  const choose = (
    { workflowId, nodeId }: RunnerOfWorkflow,
    { limit, choice, after, fits, leastPriority }: AheadWanted,
  ): AheadChosen => {
    const kindById = createKinds(queries.classById);
    const held = JSON.stringify([...new Set(after)]);
    const parents = queries.heldParents.all({ ids: held, workflowId, nodeId }).map(({ id }) => id);
    const jobs: ChosenAhead[] = [];

    const claim = ({ id, class_id: classId, priority, unmet }: Dependent): void => {
      const kind = kindById(classId);
      if (kind === undefined || !fits(kind) || priority < leastPriority()) return;
      const others = waitsFor(id, unmet, nodeId);
      if (others === undefined || queries.claimAhead.run({ id, nodeId }) === 0) return;
      jobs.push({ id, need: kind.need, waitsFor: others });
      parents.push(id);
    };

    let at = 0;
    for (; at < parents.length && at < MOST_PARENTS && jobs.length < limit; at += 1) {
      for (const each of queries.dependents.all({ id: parents[at] as number, choice, limit: MOST_EDGES }))
        if (jobs.length < limit) claim(each);
    }
    const waitedFor = new Set(jobs.flatMap((each) => each.waitsFor));
    const opensNone = (id: number) => queries.makesOthersReady.get({ id, nodeId, limit: MOST_EDGES + 1 }) === undefined;
    return {
      jobs,
      rest: restOf(parents, at, jobs.length < limit),
      settled: [...waitedFor].filter(opensNone),
    };
  };

  /** The jobs that the runner claimed ahead, those that are wanted. A job that now waits for jobs of others is let go. */
  const again = ({ workflowId, nodeId }: RunnerOfWorkflow, wanted: ReadonlySet<number>): ChosenAhead[] => {
    const kindById = createKinds(queries.classById);
    const chosen: ChosenAhead[] = [];
    for (const { id, class_id: classId, unmet } of queries.claimedAhead.all({ workflowId, nodeId })) {
      if (!wanted.has(id)) continue;
      const others = waitsFor(id, unmet, nodeId);
      if (others === undefined) queries.letGoAhead.run({ id, nodeId });
      else chosen.push({ id, need: (kindById(classId) as JobKind).need, waitsFor: others });
    }
    return chosen;
  };

  return { choose, again };
};

/** The parents to look at next time, of which `at` were looked at; if the limit was reached, the last of them may have more dependents. */
const restOf = (parents: readonly number[], at: number, isComplete: boolean): number[] => {
  const from = isComplete ? at : Math.max(0, at - 1);
  return parents.slice(from, from + MOST_REST);
};
