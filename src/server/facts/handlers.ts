import { MOST_ATTEMPTS, MOST_RESULTS } from '../../core/attempt/history.ts';
import type { KnownJob, KnownUpstream, KnownWorkflow } from '../../core/contract/known.ts';
import { statusOf } from '../../core/contract/job.ts';
import type { RunnerUse } from '../../core/contract/view.ts';
import { explanationOfKnown } from '../../core/lifecycle/explain/known-job.ts';
import { isLostHere } from '../../cluster/host/lost-here.ts';
import type { Caller, Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import { actionOf } from '../records/action/row.ts';
import { allocationRecordOf } from '../records/allocation/row.ts';
import { jobOf } from '../records/rows/job.ts';
import { computeNodeOf } from '../records/node/queries.ts';
import { resultOf } from '../records/result/queries.ts';
import { requirementsOfRow } from '../records/requirements/queries.ts';
import { schedulerOf } from '../records/scheduler/queries.ts';
import type { Store } from '../records/store.ts';
import { factQueries, type UpstreamRow, type FactQueries } from './queries.ts';
import { createWaitingLimits } from '../records/limits/waiting-limits.ts';
import { beginSlice } from '../store/slices.ts';
import { keptOf } from '../kept.ts';
import { eachPart, ROWS } from '../store/parts.ts';

/** What is known of a workflow and of a job, each in one answer, and the explanation that follows from it. */
export const factHandlers = (store: Store, permissions: Permissions) => {
  const waitingLimits = createWaitingLimits(store.limitCounts, permissions);
  const { find } = store;
  const queries = factQueries(store.db);
  const runnerUse = createRunnerUse(store, queries);

  function knownWorkflow(workflowId: number): KnownWorkflow {
    const workflow = find.wholeWorkflow(workflowId);
    const last = queries.lastRunner.get({ workflowId });
    return {
      workflow,
      slurm_schedulers: queries.schedulers.all({ workflowId }).map(schedulerOf),
      remote_workers: queries.workers.all({ workflowId }).map(({ worker }) => worker),
      actions: queries.actions.all({ workflowId }).map(actionOf),
      runners: queries.runners.all({ workflowId }).map(computeNodeOf),
      last_runner: last && computeNodeOf(last),
      allocations: queries.allocations.all({ workflowId }).map(allocationRecordOf),
    };
  }

  async function knownJob(id: number, caller: Caller): Promise<KnownJob> {
    const job = jobOf(find.job(id));
    const limits = job.status === 'ready' ? waitingLimits.ofJob(job.workflow_id, id, caller) : [];
    const { workflow_id: workflowId, resource_requirements_id: needs } = job;
    const running = job.status === 'ready' ? await runnerUse(workflowId) : [];
    const results = queries.results.all({ id }).map(resultOf).reverse();
    const resultCount = results.length < MOST_RESULTS ? results.length : queries.resultCount.get({ id })?.results;
    const upstream = queries.upstream.all({ id });
    const canceledBy = job.status === 'canceled' ? queries.canceledBy.get({ id }) : undefined;
    const nodes = [job.compute_node_id, ...results.slice(-MOST_ATTEMPTS).map((each) => each.compute_node_id)];
    return {
      job,
      of: knownWorkflow(workflowId),
      requirements: requirementsOf([needs as number])[0] as KnownJob['requirements'],
      upstream: upstream.map(upstreamOf),
      upstream_left_out: (queries.upstreamCount.get({ id })?.jobs ?? 0) - upstream.length,
      canceled_by: canceledBy && upstreamOf(canceledBy),
      results,
      results_left_out: (resultCount ?? 0) - results.length,
      nodes: queries.nodes.all({ ids: idsOf(nodes) }).map(computeNodeOf),
      running,
      running_requirements: requirementsOf(running.map(({ resource_requirements_id: of }) => of)),
      ...(limits.length === 0 ? {} : { waiting_limits: limits }),
    };
  }

  const requirementsOf = (ids: RunnerUse[number]['jobs'][]) =>
    queries.requirements.all({ ids: idsOf(ids) }).map(requirementsOfRow);

  return {
    getKnownWorkflow: ({ params }) => knownWorkflow(params.id),
    getKnownJob: ({ params }, caller) => knownJob(params.id, caller),
    getRunnerUse: ({ params }) => runnerUse(params.id),
    async getJobExplanation({ params: { id } }, caller) {
      return explanationOfKnown(await knownJob(id, caller), { nowMs: store.now(), isLost: isLostHere });
    },
  } satisfies Partial<Handlers>;
};

const idsOf = (ids: readonly (number | null | undefined)[]) => JSON.stringify([...new Set(ids)]);

const upstreamOf = ({ status, return_code: code, ...row }: UpstreamRow): KnownUpstream => ({
  ...row,
  status: statusOf(status),
  ...(code === null ? {} : { return_code: code }),
});

/** Counts the running jobs of each runner by their requirements. */
function createRunnerUse({ find }: Store, queries: FactQueries) {
  const read = async (workflowId: number): Promise<RunnerUse> => {
    const found = new Map<string, RunnerUse[number]>();
    await eachPart(beginSlice(), (after) => {
      const rows = queries.running.all({ workflowId, after, limit: ROWS });
      for (const { compute_node_id: runner, resource_requirements_id: requirements } of rows) {
        if (runner === null) continue;
        const key = `${runner} ${requirements}`;
        const of = found.get(key);
        if (of === undefined)
          found.set(key, { compute_node_id: runner, resource_requirements_id: requirements, jobs: 1 });
        else of.jobs += 1;
      }
      return rows;
    });
    return [...found.values()];
  };
  return keptOf(find, read);
}
