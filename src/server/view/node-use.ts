import type { NodeUse } from '../../core/contract/view.ts';
import type { AttemptList } from '../../core/lifecycle/timeline/attempt-list.ts';
import { positionIn } from '../../core/lifecycle/families/families.ts';
import { sharesOf } from '../../core/lifecycle/timeline/node-share.ts';
import { bandsOf } from '../../core/lifecycle/timeline/time-bands.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { beginSlice, inSlices } from '../store/slices.ts';
import { type AttemptsOf, createKeptReplies } from './attempts.ts';
import { eachPart, numbers, ROWS } from '../store/parts.ts';
import type { RequirementsRow, RunnerRow, ViewQueries } from './queries.ts';

interface NodeUseQuery {
  readonly measure?: NodeUse['measure'] | undefined;
  readonly bins?: number | undefined;
}

const BINS = 120;
/** Rows of a map: more are no picture any more. */
const MOST_NODES = 300;
/** Beyond these no requirements and no node: what a job of a deleted record took is not known. */
const NONE = 0xffff_ffff;

const MEASURES: Readonly<
  Record<NodeUse['measure'], { capacity: keyof RunnerRow; of: (row: RequirementsRow) => number }>
> = {
  cpu: { capacity: 'cpus', of: ({ num_cpus: cpus, num_nodes: nodes }) => cpus * nodes },
  memory: { capacity: 'memory_bytes', of: ({ memory_bytes: bytes, num_nodes: nodes }) => bytes * nodes },
  gpu: { capacity: 'gpus', of: ({ num_gpus: gpus, num_nodes: nodes }) => gpus * nodes },
};

/** What the jobs of a run took of the nodes of its runners over time. */
export function createNodeUse(queries: ViewQueries, attemptsOf: AttemptsOf) {
  const askedOf = new WeakMap<AttemptList, Promise<Uint32Array>>();
  const replies = createKeptReplies<NodeUse>(MOST_KEPT);

  return async (workflowId: number, { measure = 'cpu', bins = BINS }: NodeUseQuery): Promise<NodeUse> => {
    const list = await attemptsOf(workflowId);
    if (list.length === 0) return { measure, bin_seconds: 0, nodes: [], nodes_left_out: 0 };
    return replies(list, `${measure} ${bins}`, () => replyOf(workflowId, list, measure, bins));
  };

  async function replyOf(workflowId: number, list: AttemptList, measure: NodeUse['measure'], bins: number) {
    const nodes = await nodesOf(workflowId);
    let asked = askedOf.get(list);
    if (asked === undefined) askedOf.set(list, (asked = readAsked(workflowId, list)));
    const requirements = await asked;
    const weights = new Map(queries.requirements.all({ workflowId }).map((row) => [row.id, MEASURES[measure].of(row)]));
    const places = new Map(nodes.flatMap(({ runners }, place) => runners.map(({ id }) => [id, place])));
    const placeOfRunner = list.runnerIds.map((id) => places.get(id) ?? -1);
    const window = { fromSeconds: list.firstSeconds, toSeconds: list.lastSeconds, bins };
    const steps = bandsOf(list, window, {
      partOf: (attempt) => placeOfRunner[list.runners[attempt] as number] as number,
      parts: nodes.length,
      weightOf: (attempt) => weights.get(requirements[attempt] as number) ?? 0,
      mostBands: MOST_NODES,
      mostFew: 0,
    });
    const drawn = await inSlices(steps);
    const bands = new Map(drawn.bands.map((band) => [band.part, band]));
    const found = nodes.flatMap(({ hostname, runners }, place) => {
      const band = bands.get(place);
      const capacity = greatest(
        runners.map((each) => Number(each[MEASURES[measure].capacity])),
        0,
      );
      // Idle nodes are shown where there is room for them.
      if (capacity <= 0 || (band === undefined && nodes.length > MOST_NODES)) return [];
      const share = sharesOf(band?.bins.running, { ...window, capacity, lifetimes: runners.map(lifetimeOf) });
      // Runners of earlier runs.
      if (share.every((each) => each === null)) return [];
      return [{ hostname, capacity, runners: runners.length, attempts: band?.attempts ?? 0, share }];
    });
    return {
      measure,
      from: new Date(Math.round(list.firstSeconds * 1000)).toISOString(),
      bin_seconds: drawn.whole.bins.binSeconds,
      nodes: found,
      nodes_left_out: nodes.length > MOST_NODES ? nodes.length - found.length : 0,
    };
  }

  /** The runners of the workflow by their host, in the order of the names. */
  async function nodesOf(workflowId: number) {
    const runners: RunnerRow[] = [];
    await eachPart(beginSlice(), (after) => {
      const rows = queries.runners.all({ workflowId, after, limit: ROWS });
      for (const row of rows) runners.push(row);
      return rows;
    });
    return [...Map.groupBy(runners, ({ hostname }) => hostname)]
      .map(([hostname, all]) => ({ hostname, runners: all }))
      .toSorted((one, other) => byName(one.hostname, other.hostname));
  }

  /** The requirements of the job of each attempt. */
  async function readAsked(workflowId: number, list: AttemptList): Promise<Uint32Array> {
    const slice = beginSlice();
    const [ids, requirements] = [[] as number[], [] as number[]];
    await eachPart(slice, (after) => {
      const part = queries.requirementsOfJobs.get({ workflowId, after, limit: ROWS });
      const found = numbers(part?.ids);
      for (const id of found) ids.push(id);
      for (const id of numbers(part?.requirements)) requirements.push(id);
      return found;
    });
    const of = new Uint32Array(list.length);
    for (let attempt = 0; attempt < list.length; attempt += 1) {
      of[attempt] = requirements[positionIn(ids, list.jobIds[attempt] as number)] ?? NONE;
      if (attempt % ROWS === 0 && slice.isOver) await slice.pause();
    }
    return of;
  }
}

/** Replies that are kept of a reading of the attempts. */
const MOST_KEPT = 12;
/** c2 before c10. */
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** While it works, until now; of one that was lost only its start is known. */
function lifetimeOf({ start_time: start, duration_seconds: duration, is_active: isActive }: RunnerRow) {
  const startSeconds = Date.parse(start) / 1000;
  return { startSeconds, endSeconds: isActive === 1 ? Infinity : startSeconds + (duration ?? 0) };
}
