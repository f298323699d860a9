import { createFamilyBuilder, type GroupedFamilies, positionIn } from '../../core/lifecycle/families/families.ts';
import type { WorkflowGraph } from '../../core/contract/view.ts';
import { beginSlice, inSlices, type Slice } from '../store/slices.ts';
import { createKept } from '../kept.ts';
import { eachPart, numbers, ROWS } from '../store/parts.ts';
import type { ViewQueries } from './queries.ts';

/** The families of a workflow, and what views have made of them. */
export interface KeptFamilies extends GroupedFamilies {
  graph: WorkflowGraph | undefined;
  /** The ids of the jobs of families that were listed. */
  readonly members: Map<number, readonly number[]>;
}

/** The families of the jobs of a workflow, for all views of it. */
export const createFamiliesOf = (queries: ViewQueries) =>
  createKept(async (workflowId): Promise<KeptFamilies> => ({
    ...(await readFamilies(queries, workflowId)),
    graph: undefined,
    members: new Map(),
  }));
export type FamiliesOf = ReturnType<typeof createFamiliesOf>;

/** Reads all jobs and dependencies in slices: a million jobs take seconds. */
async function readFamilies(queries: ViewQueries, workflowId: number): Promise<GroupedFamilies> {
  const slice = beginSlice();
  const builder = createFamilyBuilder();
  const ids: number[] = [];
  await eachPart(slice, (after) => {
    const part = queries.jobs.get({ workflowId, after, limit: ROWS });
    const found = numbers(part?.ids);
    const [names, statuses] = [JSON.parse(part?.names ?? '[]') as string[], numbers(part?.statuses)];
    for (const [at, id] of found.entries()) {
      builder.addJob(id, names[at] as string, statuses[at] as number);
      ids.push(id);
    }
    return found;
  });
  for (let from = 0; from < ids.length; from += ROWS)
    await addDependencies(queries, slice, ids.slice(from, from + ROWS), builder.addDependency);
  return inSlices(builder.finish(), slice);
}

/** Adds the dependencies of these jobs; one of them may have a hundred thousand. */
async function addDependencies(
  queries: ViewQueries,
  slice: Slice,
  ids: readonly number[],
  add: (jobId: number, dependsOnId: number) => void,
): Promise<void> {
  let left = ids;
  let afterUpstream = 0;
  while (left.length > 0) {
    const first = left[0] as number;
    const part = queries.dependencies.get({ jobs: JSON.stringify(left), first, afterUpstream, limit: ROWS });
    const [jobs, upstream] = [numbers(part?.jobs), numbers(part?.upstream)];
    for (const [at, jobId] of jobs.entries()) add(jobId, upstream[at] as number);
    if (slice.isOver) await slice.pause();
    const last = jobs.at(-1);
    if (jobs.length < ROWS || last === undefined) return;
    left = left.slice(positionIn(left, last));
    afterUpstream = upstream.at(-1) ?? 0;
  }
}
