import { Refusal } from '../../../core/contract/refusals.ts';
import { cycleText } from '../../../core/workflow-file/graph/cycle-text.ts';
import { walk } from '../../../core/workflow-file/graph/walk.ts';
import { IntList, ListsWriter } from '../../../core/lists/int-list.ts';
import type { Windows } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { EdgeList } from './implied.ts';
import type { InitializeQueries } from './queries.ts';

/** The maximum number of ids that a message names: enough to find the circle. */
const MOST_REPORTED = 10;
/** Dependencies read or checked between two steps. */
const PAGE = 1_000;
const WINDOW = 512;

/**
 * Refuses a workflow whose jobs wait for each other because of files and user data: they would be blocked for ever.
 *
 * `found` are the dependencies to be added. If every job depends only on earlier ones there is no circle, and nothing
 * else is checked.
 */
export function* refuseCircle(
  queries: InitializeQueries,
  windows: Windows,
  workflowId: number,
  found: EdgeList,
): WorkSteps {
  if (!found.isBackward && !(yield* hasBackward(queries, windows, workflowId))) return;
  const graph = createGraph();
  yield* readEdges(queries, windows, workflowId, graph.add);
  for (let index = 0; index < found.length; index += 1) {
    const { jobId, otherId } = found.at(index);
    graph.add(jobId, otherId);
    if (index % PAGE === 0) yield;
  }
  const left = yield* graph.withoutThoseThatCanRun();
  if (left.length === 0) return;

  const [cycle] = walk(left.graph).cycles;
  if (cycle === undefined) return;
  const text = cycleText(cycle, (number) => queries.jobName.get({ id: left.idOf(number) })?.name ?? '');
  const message = `jobs wait for each other, by files or user data that they read and write: ${text}`;
  throw new Refusal('CIRCLE', message, { jobs: cycle.slice(0, MOST_REPORTED).map(left.idOf) });
}

function* hasBackward(queries: InitializeQueries, windows: Windows, workflowId: number): WorkSteps<boolean> {
  let isThere = false;
  yield* windows.over(workflowId, (window) => {
    isThere ||= queries.backward.get(window) !== undefined;
  });
  return isThere;
}

function* readEdges(
  queries: InitializeQueries,
  windows: Windows,
  workflowId: number,
  add: (id: number, other: number) => void,
): WorkSteps {
  yield* windows.within(workflowId, WINDOW, function* (window) {
    let after: number | undefined = window.after;
    while (after !== undefined) {
      let page = queries.edges.all({ ...window, after, limit: PAGE });
      for (const { job_id: id, other_id: other } of page) add(id, other);
      const last = page.length < PAGE ? undefined : page.at(-1);
      after = last?.job_id;
      let reached = last?.other_id;
      while (last !== undefined && reached !== undefined) {
        yield;
        page = queries.edgesOf.all({ id: last.job_id, after: reached, limit: PAGE });
        for (const { job_id: id, other_id: other } of page) add(id, other);
        reached = page.length < PAGE ? undefined : page.at(-1)?.other_id;
      }
    }
  });
}

/** The dependencies of a workflow in arrays of integers: a million take 30 MB. */
function createGraph() {
  const numbers = new Map<number, number>();
  const ids: number[] = [];
  const [from, to] = [new IntList(), new IntList()];
  const numberOf = (id: number): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, ids.length);
    return ids.push(id) - 1;
  };

  return {
    add(id: number, other: number): void {
      from.push(numberOf(id));
      to.push(numberOf(other));
    },

    /**
     * The jobs that remain when those without open dependencies are removed repeatedly: circles, and their dependents.
     */
    *withoutThoseThatCanRun() {
      const jobs = ids.length;
      const starts = new Int32Array(jobs + 1);
      for (let edge = 0; edge < from.length; edge += 1) starts[to.at(edge) + 1] = (starts[to.at(edge) + 1] ?? 0) + 1;
      yield;
      for (let job = 0; job < jobs; job += 1) starts[job + 1] = (starts[job + 1] ?? 0) + (starts[job] ?? 0);
      yield;
      // The dependents of each job, one list after another, and the number of open dependencies of each.
      const next = starts.slice(0, jobs);
      const dependents = new Int32Array(from.length);
      const waits = new Int32Array(jobs);
      for (let edge = 0; edge < from.length; edge += 1) {
        const [job, other] = [from.at(edge), to.at(edge)];
        dependents[next[other] ?? 0] = job;
        next[other] = (next[other] ?? 0) + 1;
        waits[job] = (waits[job] ?? 0) + 1;
        if (edge % (PAGE * 16) === 0) yield;
      }
      const free = new IntList();
      for (let job = 0; job < jobs; job += 1) if (waits[job] === 0) free.push(job);
      for (let at = 0; at < free.length; at += 1) {
        const job = free.at(at);
        for (let place = starts[job] ?? 0; place < (starts[job + 1] ?? 0); place += 1) {
          const dependent = dependents[place] ?? 0;
          waits[dependent] = (waits[dependent] ?? 0) - 1;
          if (waits[dependent] === 0) free.push(dependent);
        }
        if (at % PAGE === 0) yield;
      }
      return rest(waits, { from, to, ids });
    },
  };
}

/** The jobs that still wait, renumbered in the same order. */
function rest(
  waits: Int32Array,
  { from, to, ids }: { readonly from: IntList; readonly to: IntList; readonly ids: readonly number[] },
) {
  const numbers = new Map<number, number>();
  const waitsFor: number[][] = [];
  for (const [job, count] of waits.entries()) if (count > 0) numbers.set(job, waitsFor.push([]) - 1);
  for (let edge = 0; edge < from.length; edge += 1) {
    const [job, other] = [numbers.get(from.at(edge)), numbers.get(to.at(edge))];
    if (job !== undefined && other !== undefined) waitsFor[job]?.push(other);
  }
  const writer = new ListsWriter(waitsFor.length, waitsFor.length, Infinity);
  for (const others of waitsFor) {
    for (const other of others) writer.add(other);
    writer.next();
  }
  const jobs = [...numbers.keys()];
  return {
    length: waitsFor.length,
    graph: { jobs: waitsFor.length, waitsFor: writer.done() },
    idOf: (number: number) => ids[jobs[number] as number] as number,
  };
}
