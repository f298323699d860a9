import { expect, it } from 'vitest';
import { testService, workflowOf } from '../../../tests/support/service.ts';
import { countStatements } from '../../../tests/support/statements.ts';

const offer = { num_cpus: 100, memory_gb: 100, num_gpus: 0, num_nodes: 1 };

/** The statements of a claim of so many jobs by Torc's route, and of the start and the end of one of them. */
async function statementsOfRoutes(jobs: number) {
  const service = testService();
  const { client } = service;
  const sketch = Array.from({ length: jobs * 2 }, (_, index) => ({ name: `j${index}` }));
  const { id, nodeId } = await workflowOf(service, sketch);
  const claim = () => client.claimJobsBasedOnResources({ params: { id, limit: jobs }, query: {}, body: offer });
  await claim();
  const claimed = await countStatements(claim);
  expect(claimed.result.jobs).toHaveLength(jobs);
  const { id: jobId = 0 } = claimed.result.jobs?.[0] ?? {};
  const started = await countStatements(() =>
    client.startJob({ params: { id: jobId, run_id: 1, compute_node_id: nodeId } }),
  );
  expect(started.result).toMatchObject({ id: jobId, status: 'running' });
  const body = {
    job_id: jobId,
    workflow_id: id,
    run_id: 1,
    attempt_id: 1,
    compute_node_id: nodeId,
    return_code: 0,
    exec_time_minutes: 0.1,
    completion_time: '2026-03-01T12:00:01.000Z',
    status: 'completed' as const,
  };
  const ended = await countStatements(() =>
    client.completeJob({ params: { id: jobId, status: 'completed', run_id: 1 }, body }),
  );
  expect(ended.result).toMatchObject({ id: jobId, status: 'completed' });
  return { claim: claimed.statements, start: started.statements, end: ended.statements };
}

/** Begin, change log, the number of commits in two statements, commit. */
const TRANSACTION = 5;

it("a request of Torc's routes takes few statements, and a claim of more jobs takes no more of them", async () => {
  // One of the claim asks whether the workflow has limits, one of the end whether it has temporary files.
  const counts = { claim: TRANSACTION + 8, start: TRANSACTION + 2, end: TRANSACTION + 10 };
  expect(await statementsOfRoutes(4)).toEqual(counts);
  expect(await statementsOfRoutes(40)).toEqual(counts);
});
