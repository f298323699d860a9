import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ended, statuses, testService, workflowOf } from '../../../tests/support/service.ts';
import { all } from '../every.ts';
import { interruptedOf } from '../../core/lifecycle/recover/interrupted-jobs.ts';

const graph = fc
  .array(
    fc.record({
      after: fc.array(fc.nat({ max: 8 }), { maxLength: 3 }),
      cancels: fc.boolean(),
      end: fc.nat({ max: 3 }),
    }),
    {
      minLength: 1,
      maxLength: 9,
    },
  )
  .map((jobs) => jobs.map((job, at) => ({ ...job, after: [...new Set(job.after.filter((place) => place < at))] })));

test('the server resets the jobs that the client would reset on a server without the route, and no job runs that a failed one keeps from it', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.nat({ max: 9 }), async (jobs, turns) => {
      const service = testService();
      const { client } = service;
      const sketches = jobs.map(({ after, cancels }, at) => ({
        name: `j${at}`,
        after: after.map((place) => `j${place}`),
        cancels,
      }));
      const { id, nodeId } = await workflowOf(service, sketches);
      const of = { params: { id } };
      for (let turn = 0; turn < turns; turn += 1) {
        const about = { run_id: 1, compute_node_id: nodeId };
        const { jobs: handed } = await client.exchange({ ...of, body: { ...about, want: { limit: 1, prefetch: 0 } } });
        const completed = handed.map((job) => {
          const end = jobs[Number(job.name.slice(1))]?.end ?? 0;
          return end === 2 ? { ...ended(job, 143), status: 'terminated' as const } : ended(job, end === 1 ? 1 : 0);
        });
        await client.exchange({ ...of, body: { ...about, completed } });
      }
      await client.exchange({ ...of, body: { run_id: 1, compute_node_id: nodeId, want: { limit: 1, prefetch: 0 } } });
      await client.cancelWorkflow(of);

      const listed = await all((page) => client.listJobs({ query: { workflow_id: id, ...page } }));
      const edges = await all((page) => client.listJobDependencies({ params: { id }, query: page }));
      const expected = interruptedOf(listed, edges);
      const before = await statuses(service, id);
      const { updated_count: would } = await client.resetInterruptedJobs({ ...of, query: { dry_run: true } });
      expect(await statuses(service, id)).toEqual(before);
      const { updated_count: count } = await client.resetInterruptedJobs({ ...of, query: {} });
      expect([would, count]).toEqual([expected.length, expected.length]);
      const after = await statuses(service, id);
      for (const { id: jobId, name } of listed) if (expected.includes(jobId)) expect(after[name]).toBe('uninitialized');

      await client.resetStatus({ ...of, query: { force: true } });
      await client.initializeJobs({ ...of, query: { only_uninitialized: true } });
      const ready = await statuses(service, id);
      for (const { id: jobId, name } of listed) {
        if (ready[name] !== 'ready' || before[name] !== 'canceled') continue;
        expect(expected).toContain(jobId);
      }
    }),
    { numRuns: 12 },
  );
});
