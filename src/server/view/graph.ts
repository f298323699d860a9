import { statusOf } from '../../core/contract/job.ts';
import type { JobStatus } from '../../core/job/job-statuses.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { FamilyJobs, WorkflowGraph } from '../../core/contract/view.ts';
import { type GroupedFamilies, type Family, positionBehind } from '../../core/lifecycle/families/families.ts';
import { presentFields } from '../records/present.ts';
import type { Store } from '../records/store.ts';
import { beginSlice, type Slice } from '../store/slices.ts';
import type { FamiliesOf } from './families.ts';
import { ROWS } from '../store/parts.ts';
import type { ViewQueries } from './queries.ts';
import { someCounts } from './some-counts.ts';

/** Families of a graph. More are no picture any more, and 300 are 60 KB. */
const MOST_FAMILIES = 300;
/** Jobs of a page, where the request does not say. */
const PAGE_JOBS = 100;

interface FamilyQuery {
  readonly status?: JobStatus | undefined;
  readonly name?: string | undefined;
  readonly after?: number | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
}

/** The graph of a workflow by families, and the jobs of a family. */
export function createGraphs({ find }: Store, queries: ViewQueries, familiesOf: FamiliesOf) {
  return {
    async graph(workflowId: number): Promise<WorkflowGraph> {
      find.run(workflowId);
      const found = await familiesOf(workflowId);
      return (found.graph ??= shown(found, queries));
    },

    async jobs(
      workflowId: number,
      family: string,
      { status, name, after = 0, skip = 0, limit = PAGE_JOBS }: FamilyQuery,
    ): Promise<FamilyJobs> {
      find.run(workflowId);
      const place = (each: GroupedFamilies) => each.families.findIndex(({ key }) => key === family);
      // Which jobs are of a family hardly changes, and a list of a million must not wait until all of them are read again.
      let kept = await familiesOf.held(workflowId);
      if (place(kept) === -1) kept = await familiesOf(workflowId);
      const wanted = place(kept);
      if (wanted === -1) throw new Refusal('NOT_FOUND', `workflow ${workflowId} has no family ${family}`, { family });
      const slice = beginSlice();
      let members = kept.members.get(wanted);
      if (members === undefined) kept.members.set(wanted, (members = await membersOf(kept, wanted, slice)));
      const items: FamilyJobs['items'] = [];
      // Of all jobs one more than the page, which says whether there are more.
      const part = status === undefined && name === undefined ? limit + 1 : ROWS;
      const wantedName = name?.toLowerCase() ?? '';
      for (let at = positionBehind(members, after) + skip; at < members.length && items.length <= limit; at += part) {
        for (const row of queries.listed.all({ ids: JSON.stringify(members.slice(at, at + part)) })) {
          const each = { ...presentFields(row), status: statusOf(row.status) };
          if ((status === undefined || each.status === status) && row.name.toLowerCase().includes(wantedName))
            items.push(each);
        }
        if (slice.isOver) await slice.pause();
      }
      return { items: items.slice(0, limit), has_more: items.length > limit };
    },
  };
}

/** The ids of the jobs of a family, ascending. */
async function membersOf({ ids, familyOf }: GroupedFamilies, family: number, slice: Slice): Promise<readonly number[]> {
  const members: number[] = [];
  for (const [position, id] of ids.entries()) {
    if (familyOf[position] === family) members.push(id);
    if (position % ROWS === 0 && slice.isOver) await slice.pause();
  }
  return members;
}

/** The largest families, with the names of those that have one job. */
function shown({ families, edges }: GroupedFamilies, queries: ViewQueries): WorkflowGraph {
  const largest = new Set(families.toSorted((one, other) => other.jobs - one.jobs).slice(0, MOST_FAMILIES));
  const kept = families.filter((each) => largest.has(each));
  const names = familyNames(kept, queries);
  const leftOut = families.filter((each) => !largest.has(each));
  return {
    families: kept.map(({ key, firstJobId, jobs, byStatus }, at) => ({
      key,
      name: names[at] as string,
      first_job_id: firstJobId,
      jobs,
      jobs_by_status: someCounts(byStatus.entries()),
    })),
    edges: edges.flatMap(({ from, to, dependencies }) => {
      const [above, below] = [families[from], families[to]];
      return above !== undefined && below !== undefined && largest.has(above) && largest.has(below)
        ? [{ from: above.key, to: below.key, dependencies }]
        : [];
    }),
    families_left_out: leftOut.length,
    jobs_left_out: leftOut.reduce((sum, { jobs }) => sum + jobs, 0),
  };
}

/** What all jobs of a family have in common; of a family with one job its name. */
export function familyNames(families: readonly Family[], queries: ViewQueries): string[] {
  const single = families.filter(({ jobs }) => jobs === 1).map(({ firstJobId }) => firstJobId);
  const names = new Map(queries.named.all({ ids: JSON.stringify(single) }).map(({ id, name }) => [id, name]));
  return families.map(({ firstJobId, pattern }) => names.get(firstJobId) ?? pattern);
}
