import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Completion, ExchangeRequest } from '../../core/contract/exchange.ts';
import { ended, statuses, testService, workflowOf } from '../../../tests/support/service.ts';
import { countStatements } from '../../../tests/support/statements.ts';

const JOBS = 6;

/** The jobs that each job waits for, and the ends that a runner reports: of any job, in any order, also twice. */
const cases = fc.record({
  after: fc.tuple(...Array.from({ length: JOBS }, (_, job) => fc.subarray(Array.from({ length: job }, (_, id) => id)))),
  ends: fc.array(
    fc.record({ job: fc.nat({ max: JOBS }), attempt: fc.constantFrom(1, 1, 1, 2), code: fc.constantFrom(0, 0, 1) }),
    { minLength: 1, maxLength: 12 },
  ),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** What the workflow is after the ends, which are sent in exchanges of some at a time. */
async function after({ after: edges, ends }: Case, atOnce: number) {
  const service = testService();
  const sketch = edges.map((others, job) => ({ name: `j${job}`, after: others.map((other) => `j${other}`) }));
  const { id, nodeId, jobIds } = await workflowOf(service, sketch);
  const exchange = (body: Partial<ExchangeRequest>) =>
    service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  await exchange({ want: { limit: JOBS, prefetch: 0, ahead: { limit: JOBS } } });
  const completed = ends.map(({ job, attempt, code }): Completion =>
    ended({ id: jobIds.get(`j${job}`) ?? 99, attempt_id: attempt }, code),
  );
  const errors: object[] = [];
  for (let at = 0; at < completed.length; at += atOnce)
    errors.push(...(await exchange({ completed: completed.slice(at, at + atOnce) })).errors);
  const { items } = await service.client.listResults({ query: { workflow_id: id, all_runs: true } });
  const results = items.map(({ job_id: job, attempt_id: attempt, return_code: code }) => ({ job, attempt, code }));
  return { statuses: await statuses(service, id), errors, results };
}

it('an exchange with several ends has the same result as an exchange for each of them', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (each) => {
      const { errors, ...together } = await after(each, each.ends.length);
      expect({ ...together, errors }).toEqual(await after(each, 1));
    }),
    { numRuns: 25 },
  );
});

/** Statements that the server executes for one exchange of a number of ends and as many claims. */
async function statementsOf(jobs: number): Promise<number> {
  const service = testService();
  const many = Array.from({ length: jobs * 2 }, (_, index) => ({ name: `j${index}` }));
  const { id, nodeId } = await workflowOf(service, many);
  const want = { limit: jobs, prefetch: 0, ahead: { limit: 8 } };
  const exchange = (body: Partial<ExchangeRequest>) =>
    service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, want, ...body } });
  const first = await exchange({});
  expect(first.jobs).toHaveLength(jobs);
  const { statements, result: second } = await countStatements(() =>
    exchange({ completed: first.jobs.map((job) => ended(job)) }),
  );
  expect(second).toMatchObject({ errors: [], jobs_by_status: { completed: jobs } });
  expect(second.jobs).toHaveLength(jobs);
  return statements;
}

it('an end and a claim more in an exchange cost the server one statement more, and the exchange itself at most thirty', async () => {
  const [some, more] = [await statementsOf(16), await statementsOf(64)];
  // Results are written sixteen in a statement.
  expect(more - some).toBe(48 + 3);
  expect(some - 16).toBeLessThanOrEqual(30);
});
