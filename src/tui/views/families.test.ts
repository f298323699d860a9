import { describe, expect, it } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { WorkflowGraph } from '../../core/contract/view.ts';
import { families, jobsOfFamily, familyRowsOf } from './families.ts';

const family = (key: string, jobs: number, byStatus: WorkflowGraph['families'][number]['jobs_by_status']) => ({
  key,
  name: `${key}_#`,
  first_job_id: 1,
  jobs,
  jobs_by_status: byStatus,
});
const graph: WorkflowGraph = {
  families: [
    family('merge', 1, { blocked: 1 }),
    family('map', 1200, { completed: 1000, running: 150, ready: 50 }),
    family('check', 3, { completed: 2, failed: 1 }),
  ],
  edges: [
    { from: 'map', to: 'merge', dependencies: 1200 },
    { from: 'check', to: 'merge', dependencies: 3 },
    { from: 'map', to: 'map', dependencies: 1199 },
  ],
  families_left_out: 0,
  jobs_left_out: 0,
};

describe('the view DAG', () => {
  it('the view has each family behind those that it depends on, with a sign of its state and counts', () => {
    const rows = familyRowsOf(graph);
    const cells = rows.map((row) => families.columns.map(({ text }) => text(row, 0)));
    expect(cells).toEqual([
      ['▶ map_#', '1,200', '1,000', '150', '', '', '50', ''],
      ['✗ check_#', '3', '2', '', '1', '', '', ''],
      ['  ◦ merge_#', '1', '', '', '', '', '', 'map_#, check_#'],
    ]);
  });

  it('pages through the jobs of a family of any size, 250 at a time, and asks the server for a thousand', async () => {
    const asked: number[] = [];
    const client = {
      getWorkflowGraph: () => Promise.resolve(graph),
      listFamilyJobs: ({ query: { after = 0, limit = 0 } }: { query: { after?: number; limit?: number } }) => {
        asked.push(after);
        const items = Array.from({ length: Math.min(limit, 1200 - after) }, (_, at) => ({ id: after + at + 1 }));
        return Promise.resolve({ items, has_more: after + items.length < 1200 });
      },
    } as unknown as Client;
    const page = await jobsOfFamily(client, 1, 'map_#', 1000);
    expect([page.items.length, page.items[0]?.id, page.total_count, asked]).toEqual([200, 1001, 1200, [0, 1000]]);
    expect((await jobsOfFamily(client, 1, 'map_#', 250)).items.map(({ id }) => id).slice(0, 2)).toEqual([251, 252]);
    expect(await jobsOfFamily(client, 1, 'no such family', 0)).toEqual({ items: [], total_count: 0 });
  });
});
