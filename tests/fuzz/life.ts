import fc from 'fast-check';
import { pathOf, queryOf } from '../../src/client/client.ts';
import { type RouteName, routes } from '../../src/core/contract/routes.ts';
import type { Request } from './requests.ts';

/** What runners and people do all day, in any order: fields that must agree do, so that jobs begin, end and begin again. */

/** Mostly of the first workflow, and what was added to it. */
const jobId = fc.constantFrom(1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6, 7);
const nodeId = fc.constantFrom(1, 1, 1, 1, 1, 2, 3);
const status = fc.constantFrom('completed', 'completed', 'failed', 'terminated', 'canceled', 'pending_failed');
/** The run and the attempt are mostly the first. */
const generation = fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 2, 3);

const asked = (name: RouteName, params: object, query: object = {}, body?: unknown): Request => {
  const { method, path } = routes[name];
  return {
    name,
    method,
    path: pathOf(path, params) + queryOf(query),
    body: body === undefined ? undefined : JSON.stringify(body),
  };
};

const end = fc
  .record({ job: jobId, node: nodeId, run: generation, attempt: generation, status, code: fc.constantFrom(0, 1, -128) })
  .map(({ job, node, run, attempt, code, ...how }) => ({
    job_id: job,
    workflow_id: job === 4 ? 2 : 1,
    run_id: run,
    attempt_id: attempt,
    compute_node_id: node,
    return_code: code,
    exec_time_minutes: 1,
    completion_time: '2026-03-01T12:01:00Z',
    status: how.status,
  }));

const offer = { num_cpus: 8, memory_gb: 16, num_gpus: 0, num_nodes: 1 };

const claimed = fc.constantFrom(
  asked('claimNextJobs', { id: 1 }, { limit: 2 }),
  asked('claimNextJobs', { id: 1 }, { labels: 'gpu' }),
  asked('claimJobsBasedOnResources', { id: 1, limit: 3 }, {}, offer),
);
const started = fc
  .tuple(jobId, generation, nodeId)
  .map(([id, run, node]) => asked('startJob', { id, run_id: run, compute_node_id: node }));
const ended = end.map((body) =>
  asked('completeJob', { id: body.job_id, status: body.status, run_id: body.run_id }, {}, body),
);
const endedTogether = fc.array(end, { maxLength: 4 }).map((ends) => {
  const completions = ends.map((result) => ({ ...result, result }));
  return asked('batchCompleteJobs', { id: 1 }, {}, { completions });
});
const turned = fc
  .record({
    run: generation,
    node: nodeId,
    started: fc.array(fc.record({ job_id: jobId, attempt_id: generation }), { maxLength: 3 }),
    completed: fc.array(end, { maxLength: 3 }),
    returned: fc.array(jobId, { maxLength: 2 }),
    held: fc.option(fc.array(jobId, { maxLength: 2 }), { freq: 4, nil: undefined }),
    limit: fc.integer({ min: 0, max: 3 }),
    prefetch: fc.integer({ min: 0, max: 2 }),
    ofAnySize: fc.boolean(),
  })
  .map(({ run, node, limit, prefetch, ofAnySize, ...reported }) =>
    asked(
      'exchange',
      { id: 1 },
      {},
      {
        ...reported,
        run_id: run,
        compute_node_id: node,
        started: reported.started.map((each) => ({ ...each, start_time: '2026-03-01T12:00:30Z' })),
        want: { limit, prefetch, ...(ofAnySize ? {} : { offer }) },
      },
    ),
  );
const lost = fc
  .tuple(nodeId, generation)
  .map(([node, run]) =>
    asked('reportLostRunner', { id: 1, compute_node_id: node }, {}, { run_id: run, reason: 'gone' }),
  );
const spawned = fc
  .tuple(jobId, fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'first'), { maxLength: 3 }), fc.boolean())
  .map(([id, names, isChain]) =>
    asked(
      'spawnJobs',
      { id },
      {},
      {
        jobs: names.map((name, index) => ({
          name,
          command: 'true',
          depends_on: isChain && index > 0 ? [names[index - 1]] : [],
        })),
        state: { names },
      },
    ),
  );
const added = fc
  .tuple(fc.array(jobId, { maxLength: 2 }), fc.constantFrom([], ['gpu']), fc.boolean())
  .map(([others, labels, cancels]) =>
    asked(
      'createJob',
      {},
      {},
      {
        workflow_id: 1,
        name: 'added',
        command: 'true',
        depends_on_job_ids: others,
        labels,
        cancel_on_blocking_job_failure: cancels,
        input_file_ids: [2],
      },
    ),
  );
const changed = fc
  .tuple(jobId, fc.array(jobId, { maxLength: 2 }), fc.constantFrom('disabled', undefined))
  .map(([id, others, wanted]) =>
    asked('updateJob', { id }, {}, { name: 'n', command: 'c', depends_on_job_ids: others, status: wanted, labels: [] }),
  );
const setByHand = fc
  .tuple(jobId, fc.constantFrom('uninitialized', 'blocked', 'ready', 'pending', 'running', 'disabled'), generation)
  .map(([id, wanted, run]) => asked('manageStatusChange', { id, status: wanted, run_id: run }));
const triedAgain = fc
  .tuple(jobId, generation)
  .map(([id, run]) => asked('retryJob', { id, run_id: run }, { max_retries: 3 }));
const begun = fc.constantFrom(
  asked('initializeJobs', { id: 1 }),
  asked('initializeJobs', { id: 1 }, { only_uninitialized: true }),
  asked('initializeJobs', { id: 1 }, { async: true }),
  asked('resetJobStatus', { id: 1 }),
  asked('resetJobStatus', { id: 1 }, { failed_only: true }),
  asked('resetStatus', { id: 1 }, { force: true }),
  asked('cancelWorkflow', { id: 1 }),
  asked('updateUserData', { id: 1 }, {}, { data: 1 }),
  asked('processChangedJobInputs', { id: 1 }),
);

export const life = fc.oneof(
  { weight: 4, arbitrary: claimed },
  { weight: 4, arbitrary: started },
  { weight: 5, arbitrary: ended },
  { weight: 2, arbitrary: endedTogether },
  { weight: 6, arbitrary: turned },
  lost,
  { weight: 2, arbitrary: spawned },
  { weight: 2, arbitrary: added },
  changed,
  { weight: 2, arbitrary: setByHand },
  { weight: 2, arbitrary: triedAgain },
  { weight: 2, arbitrary: begun },
  jobId.map((id) => asked('deleteJob', { id })),
);
