import { type Ahead, type AheadJob, type ClaimedJob, type Need, type Want } from '../../core/contract/exchange.ts';
import { covers, refuseBadLabels, sortedLabels } from '../../core/contract/labels.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ComputeNodesResources } from '../../core/contract/resources.ts';
import { type NodeSize, placeOf } from '../../core/lifecycle/placement.ts';
import type { JobKind } from '../../core/lifecycle/obstacles.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import { claimedJobOf, type JobRow } from '../records/job/row.ts';
import type { Store } from '../records/store.ts';
import { byNeed, byPriority, type ClaimableClass, type Waiting, walkReady } from './merge.ts';
import { createKinds, kindOf } from './kind.ts';
import { type ChosenAhead, createAheadClaims } from './ahead.ts';
import type { ClaimQueries } from './queries.ts';
import { bytesOfGibibytes, fitsNode, type Room, roomOf, roomOfNodes } from './room.ts';

/** The caller of a claim: with the runner's id if it is known. */
interface Asker {
  readonly workflowId: number;
  readonly nodeId: number | null;
}

/** The next jobs of a claim: at most `limit` to start and `prefetch` ahead; empty if there are no more. */
type Parts = (limit: number, prefetch: number) => ClaimedJob[];

interface Chosen {
  readonly id: number;
  readonly need: Need;
}

/**
 * Assigns ready jobs to a runner; no job is assigned twice.
 *
 * With an `offer`, up to `limit` jobs are packed into it, and up to `prefetch` more are chosen that fit into the
 * runner's empty node, to wait there for the next free slot. Without an offer, jobs are counted and their requirements
 * ignored. In both cases jobs are taken by priority, and only if the runner covers their labels.
 */
export const createClaim = ({ db, changes }: Store, queries: ClaimQueries) => {
  const attempts = createHeldAttempts(db, changes);
  const ahead = createAheadClaims(queries);

  const classesOf = (workflowId: number): ClaimableClass[] =>
    queries.claimable.all({ workflowId }).map((row) => ({
      id: row.id,
      ...kindOf(row),
      head: { id: row.head_id, priority: row.head_priority },
    }));

  const fetch = (classId: number, limit: number, offset: number) => queries.ready.all({ classId, limit, offset });

  const hand = ({ workflowId, nodeId }: Asker, chosen: readonly Chosen[]): ClaimedJob[] => {
    if (chosen.length === 0) return [];
    const ids = chosen.map(({ id }) => id);
    for (const id of ids) queries.markPending.run({ id, nodeId });
    changes.record(workflowId, 'jobs_claimed', [{ compute_node_id: nodeId, job_ids: ids }]);
    return claimedJobs(workflowId, chosen);
  };

  /** The chosen jobs as the runner gets them, in their order. */
  const claimedJobs = (workflowId: number, chosen: readonly Chosen[]): ClaimedJob[] => {
    if (chosen.length === 0) return [];
    const ids = JSON.stringify(chosen.map(({ id }) => id));
    const rows = new Map(queries.jobs.all({ ids }).map((row) => [row.id, row]));
    const outputsOf = outputs(workflowId);
    return chosen.map(({ id, need }) => handed(rows.get(id) as JobRow, need, outputsOf));
  };

  /** The output files of a job; they are not queried in workflows without files. */
  const outputs = (workflowId: number): OutputsOf => {
    if (queries.hasFiles.get({ workflowId }) === undefined) return () => [];
    return (jobId) => queries.outputs.all({ jobId });
  };

  /** Successive parts of one claim by resources: together they take the same jobs as a single claim. */
  const byResources = (asker: Asker, want: Want, offer: ComputeNodesResources): Parts => {
    refuseBadLabels(offer.labels);
    const { room } = placesOf(want, offer);
    const fits = fitsOffer(want, offer);
    const isBound = isBoundTo(offer);
    let free = room();
    /** No job was found yet, so jobs of another scheduler may follow. */
    let isUndecided = want.strict_scheduler_match !== true;
    let isForAny = false;

    return (limit, prefetch) => {
      const eligible = classesOf(asker.workflowId).filter(fits);
      const amount = { limit, prefetch };
      const bound = isForAny ? eligible : eligible.filter(isBound);
      let chosen = pack(bound, amount, free, fetch);
      if (chosen.length === 0 && isUndecided && bound.length < eligible.length) {
        isForAny = true;
        free = room();
        chosen = pack(eligible, amount, free, fetch);
      }
      isUndecided = false;
      return hand(asker, chosen);
    };
  };

  const inOrder = (asker: Asker, want: Want): Parts => {
    refuseBadLabels(want.labels);
    const labels = sortedLabels(want.labels);
    return (limit, prefetch) => {
      const chosen: Chosen[] = [];
      const atMost = limit + prefetch;
      const classes = classesOf(asker.workflowId).filter((each) => covers(labels, each.labels));
      walkReady(classes, byPriority, atMost, fetch, (id, need) => {
        chosen.push({ id, need });
        return chosen.length === atMost ? 'stop' : 'next';
      });
      return hand(asker, chosen);
    };
  };

  const partsOf = (asker: Asker, want: Want): Parts =>
    want.offer === undefined || want.offer === null ? inOrder(asker, want) : byResources(asker, want, want.offer);

  const pendingOf = ({ workflowId, nodeId }: Asker, isWanted: (id: number) => boolean): ClaimedJob[] => {
    if (nodeId === null) return [];
    const held = queries.heldBy.all({ nodeId, workflowId }).filter(({ id }) => isWanted(id));
    if (held.length === 0) return [];
    const kindById = createKinds(queries.classById);
    const outputsOf = outputs(workflowId);
    return held.map(({ class_id: classId, ...row }) => handed(row, (kindById(classId) as JobKind).need, outputsOf));
  };

  /** Jobs that were claimed ahead, as the runner gets them; a job that now waits for jobs of others is released. */
  const aheadAgain = ({ workflowId, nodeId }: Asker, isWanted: (id: number) => boolean): AheadJob[] => {
    if (nodeId === null) return [];
    const kindById = createKinds(queries.classById);
    const chosen: ChosenAhead[] = [];
    for (const { id, class_id: classId, unmet } of queries.claimedAhead.all({ workflowId, nodeId })) {
      if (!isWanted(id)) continue;
      const waitsFor = ahead.waitsFor(id, unmet, nodeId);
      if (waitsFor === undefined) queries.letGoAhead.run({ id, nodeId });
      else chosen.push({ id, need: (kindById(classId) as JobKind).need, waitsFor });
    }
    return aheadJobs(workflowId, chosen);
  };

  const aheadJobs = (workflowId: number, chosen: readonly ChosenAhead[]): AheadJob[] =>
    claimedJobs(workflowId, chosen).map((job, index) => ({
      ...job,
      waits_for: [...(chosen[index] as ChosenAhead).waitsFor],
    }));

  /** Claims ahead of everything that the runner holds and does not name are let go: it never heard of them. */
  const letGoAllBut = ({ workflowId, nodeId }: Asker, held: ReadonlySet<number>) => {
    if (nodeId === null) return;
    for (const { id } of queries.claimedAhead.all({ workflowId, nodeId }))
      if (!held.has(id)) queries.letGoAhead.run({ id, nodeId });
  };

  /** Makes jobs ready again that were assigned to the runner and not started. */
  const giveBack = ({ workflowId, nodeId }: Asker, jobIds: readonly number[]): number[] => {
    if (nodeId === null) return [];
    const returned = jobIds.filter((id) => {
      if (queries.letGo.run({ id, nodeId }) === 1) return queries.giveBack.run({ id }) === 1;
      if (queries.letGoAhead.run({ id, nodeId }) === 1) return false;
      attempts.over({ workflowId, jobId: id, nodeId });
      return false;
    });
    if (returned.length > 0)
      changes.record(workflowId, 'jobs_returned', [{ compute_node_id: nodeId, job_ids: returned }]);
    return returned;
  };

  return {
    /** The jobs for a claim. A canceled workflow assigns none; the callers check that first. */
    claim(asker: Asker, want: Want): ClaimedJob[] {
      if (want.limit + want.prefetch <= 0) return [];
      return partsOf(asker, want)(want.limit, want.prefetch);
    },

    /** The same for a claim that is executed in parts, each in its own transaction. */
    inParts: partsOf,

    /**
     * The jobs that are pending in the name of the runner and that it does not hold, because their reply was lost. They
     * are assigned again.
     */
    handAgain(asker: Asker, held: readonly number[]): ClaimedJob[] {
      const known = new Set(held);
      if (asker.nodeId !== null) attempts.overBut(asker.workflowId, asker.nodeId, known);
      letGoAllBut(asker, known);
      return pendingOf(asker, (id) => !known.has(id));
    },

    /** The jobs of a repeated reply, as far as they are still pending in the name of the runner. */
    handSame(asker: Asker, jobIds: readonly number[]): ClaimedJob[] {
      if (jobIds.length === 0) return [];
      const wanted = new Set(jobIds);
      return pendingOf(asker, (id) => wanted.has(id));
    },

    /** Jobs that wait only for jobs which the runner holds; `assigned` are those of this turn. */
    claimAhead({ workflowId, nodeId }: Asker, want: Want, assigned: readonly number[]): Ahead | undefined {
      const { limit = 0, after } = want.ahead ?? {};
      if (nodeId === null || limit === 0) return undefined;
      const { offer } = want;
      const labels = sortedLabels(want.labels);
      const fits =
        offer === undefined || offer === null
          ? (kind: JobKind) => covers(labels, kind.labels)
          : both(fitsOffer(want, offer), isBoundTo(offer));
      let least: number | undefined;
      const chosen = ahead.choose(
        { workflowId, nodeId },
        {
          limit,
          after: [...assigned, ...(after ?? [])],
          fits,
          leastPriority: () =>
            (least ??= greatest(
              classesOf(workflowId)
                .filter(fits)
                .map(({ head }) => head.priority),
            )),
        },
      );
      return {
        jobs: aheadJobs(workflowId, chosen.jobs),
        rest: [...chosen.rest],
        settled: [...chosen.settled],
      };
    },

    /** Those of an answer that is given a second time, as far as they are still claimed ahead. */
    aheadSame(asker: Asker, jobIds: readonly number[]): AheadJob[] {
      if (jobIds.length === 0) return [];
      const wanted = new Set(jobIds);
      return aheadAgain(asker, (id) => wanted.has(id));
    },

    /** Makes jobs ready again that are pending in the name of a runner that ends, except those that it holds. */
    giveBackAllBut({ workflowId, nodeId }: Asker, held: readonly number[]): number[] {
      if (nodeId === null) return [];
      const known = new Set(held);
      attempts.overBut(workflowId, nodeId, known);
      letGoAllBut({ workflowId, nodeId }, known);
      const lost = queries.heldBy.all({ nodeId, workflowId }).flatMap(({ id }) => (known.has(id) ? [] : [id]));
      return giveBack({ workflowId, nodeId }, lost);
    },

    giveBack,
  };
};

export type Claim = ReturnType<typeof createClaim>;

/** Could the runner take a job of this kind, now or when its node is empty? */
function fitsOffer(want: Want, offer: ComputeNodesResources): (kind: JobKind) => boolean {
  const labels = sortedLabels(offer.labels);
  const secondsLeft = secondsOf(offer.time_limit);
  const { couldFit } = placesOf(want, offer);
  return (kind) => covers(labels, kind.labels) && kind.need.runtime_seconds <= secondsLeft && couldFit(kind.need);
}

/** Is a job of this kind meant for no other scheduler than the runner's? */
const isBoundTo =
  ({ scheduler_config_id: own }: ComputeNodesResources) =>
  ({ schedulerId }: JobKind): boolean =>
    schedulerId === null || schedulerId === (own ?? null);

const both =
  (left: (kind: JobKind) => boolean, right: (kind: JobKind) => boolean) =>
  (kind: JobKind): boolean =>
    left(kind) && right(kind);

/** The remaining seconds of an offer; without a time limit there is no end. */
function secondsOf(timeLimit: string | null | undefined): number {
  if (timeLimit === undefined || timeLimit === null) return Infinity;
  try {
    return parseDuration(timeLimit);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const facts = { field: 'time_limit', found: timeLimit };
    throw new Refusal(cause.code, `Invalid time_limit: ${cause.message}`, facts, { cause });
  }
}

function pack(
  classes: readonly ClaimableClass[],
  want: Pick<Want, 'limit' | 'prefetch'>,
  room: Room,
  fetch: (classId: number, limit: number, offset: number) => Waiting[],
): Chosen[] {
  const chosen: Chosen[] = [];
  let starts = want.limit;
  let ahead = want.prefetch;
  walkReady(classes, byNeed, want.limit + want.prefetch, fetch, (id, need) => {
    if (starts > 0 && room.take(need)) starts -= 1;
    else if (ahead > 0) ahead -= 1;
    else return starts === 0 ? 'stop' : 'drop-class';
    chosen.push({ id, need });
    return starts + ahead === 0 ? 'stop' : 'next';
  });
  return chosen;
}

interface Places {
  /** The free resources. */
  room(): Room;
  /** Whether a search for jobs with these requirements is useful: they fit now or, ahead, into empty nodes. */
  couldFit(need: Need): boolean;
}

function placesOf({ prefetch, capacity, nodes }: Want, offer: ComputeNodesResources): Places {
  if (nodes !== undefined && nodes !== null) {
    const now = nodes.map(({ free, total }) => ({ free: sizeOf(free), total: sizeOf(total) }));
    const then = prefetch > 0 ? now.map(({ total }) => ({ free: total, total })) : now;
    return { room: () => roomOfNodes(now), couldFit: (need) => placeOf(need, then) !== undefined };
  }
  const now = { ...sizeOf(offer), nodes: offer.num_nodes };
  const isAhead = prefetch > 0 && capacity !== undefined && capacity !== null;
  const then = isAhead ? { ...sizeOf(capacity), nodes: offer.num_nodes } : now;
  return { room: () => roomOf(now), couldFit: (need) => fitsNode(need, then) };
}

type SizeTold = Pick<ComputeNodesResources, 'num_cpus' | 'memory_gb' | 'num_gpus'>;

const sizeOf = ({ num_cpus: cpus, memory_gb: memory, num_gpus: gpus }: SizeTold): NodeSize => ({
  cpus,
  memoryBytes: bytesOfGibibytes(memory),
  gpus,
});

type OutputsOf = (jobId: number) => { id: number; path: string }[];

function handed(row: JobRow, need: Need, outputsOf: OutputsOf): ClaimedJob {
  const outputs = outputsOf(row.id);
  return { ...claimedJobOf(row), need, ...(outputs.length === 0 ? {} : { output_files: outputs }) };
}
