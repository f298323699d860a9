import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import type { FamilyJobs, JobFamily, WorkflowGraph } from '../../core/contract/view.ts';
import { outcomeOf } from '../../core/lifecycle/explain/outcome.ts';
import { countOf, ENDED_BADLY, HELD, SUCCEEDED } from '../../core/job/statuses.ts';
import { layersOf, neighbours } from '../../core/lifecycle/families/family-layers.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import type { CellStyle } from '../cells.ts';
import { PAGE_ROWS, view } from './view.ts';

/** A family of jobs in the graph: one row, however many jobs it has. */
interface FamilyRow extends JobFamily {
  readonly layer: number;
  /** Names of the families that it depends on. */
  readonly after: readonly string[];
}

const numbers = ({ jobs_by_status: counts }: JobFamily) => outcomeOf(counts);
const shown = (number: number): string => (number === 0 ? '' : grouped(number));

/** The signs of Torc 1.0.0: done, running, failed, ready and blocked. */
function signOf(family: JobFamily): { readonly sign: string; readonly style?: CellStyle } {
  const { jobs_by_status: counts } = family;
  if (countOf(counts, ENDED_BADLY) > 0) return { sign: '✗', style: 'red' };
  if (countOf(counts, HELD) > 0) return { sign: '▶', style: 'cyan' };
  if (countOf(counts, SUCCEEDED) === family.jobs) return { sign: '✓', style: 'green' };
  return (counts.ready ?? 0) > 0 ? { sign: '○' } : { sign: '◦', style: 'dim' };
}

/** The graph in layers, from what depends on nothing to what everything else leads to. */
export const families = view<FamilyRow>({
  name: 'DAG',
  sign: '◇',
  columns: [
    {
      title: 'Family',
      text: (row) => `${'  '.repeat(row.layer)}${signOf(row).sign} ${row.name}`,
      style: (row) => signOf(row).style,
      cut: 'middle',
      importance: 9,
    },
    { title: 'Jobs', text: ({ jobs }) => grouped(jobs), align: 'right', importance: 8 },
    { title: 'Done', text: (row) => shown(numbers(row).completed), align: 'right', importance: 6 },
    { title: 'Running', text: (row) => shown(numbers(row).running), align: 'right', importance: 5 },
    { title: 'Failed', text: (row) => shown(numbers(row).failed), align: 'right', importance: 7 },
    { title: 'Stopped', text: (row) => shown(numbers(row).stopped), align: 'right', importance: 2 },
    { title: 'Ready', text: (row) => shown(row.jobs_by_status.ready ?? 0), align: 'right', importance: 3 },
    { title: 'Depends on', text: ({ after }) => after.join(', '), cut: 'end', importance: 4 },
  ],
  sorts: [],
  filters: [{ title: 'Family', text: ({ name }) => name }],
  idOf: ({ first_job_id: id }) => id,
  familyOf: ({ name }) => name,
  async load(client, { workflowId, paging: { offset } }) {
    const graph = await graphOf(client, workflowId);
    const rows = familyRowsOf(graph);
    // The server leaves small families out where there are hundreds.
    return { items: rows.slice(offset, offset + PAGE_ROWS), total_count: rows.length + graph.families_left_out };
  },
});

export function familyRowsOf({ families: all, edges }: WorkflowGraph): FamilyRow[] {
  const keys = all.map(({ key }) => key);
  const { above } = neighbours(keys, edges);
  const layers = layersOf(keys, above);
  const names = new Map(all.map(({ key, name }) => [key, name]));
  return all
    .map((family) => ({
      ...family,
      layer: layers.get(family.key) ?? 0,
      after: (above.get(family.key) ?? []).map((key) => names.get(key) ?? ''),
    }))
    .sort((one, other) => one.layer - other.layer);
}

async function graphOf(client: Client, workflowId: number): Promise<WorkflowGraph> {
  try {
    return await client.getWorkflowGraph({ params: { id: workflowId }, query: {} });
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
    throw new Error('this server has no graph by families; torc job-dependencies lists the dependencies', {
      cause: error,
    });
  }
}

/** The most jobs that the route returns at once. */
const MOST_JOBS = 1000;

/** Jobs of the families with this name: their order is that of the families, then of their ids. */
export async function jobsOfFamily(client: Client, workflowId: number, name: string, offset: number) {
  const { families: all } = await graphOf(client, workflowId);
  const found = all.filter((family) => family.name === name);
  const items: FamilyJobs['items'] = [];
  let skip = offset;
  for (const { key: family, jobs } of found) {
    if (skip >= jobs || items.length >= PAGE_ROWS) {
      skip = Math.max(0, skip - jobs);
      continue;
    }
    for (let after = 0; items.length < PAGE_ROWS;) {
      const query = { after, limit: MOST_JOBS };
      const page = await client.listFamilyJobs({ params: { id: workflowId, family }, query });
      for (const item of page.items.slice(skip)) items.push(item);
      skip = Math.max(0, skip - page.items.length);
      const last = page.items.at(-1);
      if (!page.has_more || last === undefined) break;
      after = last.id;
    }
  }
  return { items: items.slice(0, PAGE_ROWS), total_count: found.reduce((sum, { jobs }) => sum + jobs, 0) };
}
