import { MOST_ATTEMPTS, MOST_RESULTS } from '../../core/attempt/history.ts';
import type { KnownJob, KnownUpstream, KnownWorkflow } from '../../core/contract/known.ts';
import type { WorkflowLimits } from '../../core/contract/workflow-limits.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { relationNames } from '../../core/job/fields.ts';
import { MOST_UPSTREAM } from '../../core/lifecycle/explain/job-facts.ts';
import { ENDED_BADLY } from '../../core/job/statuses.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { withSubstitute } from './unknown-route.ts';

/** What is known of a workflow and of a job. Torc's own server, and earlier ones of ours, answer it in parts. */

export const knownWorkflow = (client: Client, id: number): Promise<KnownWorkflow> =>
  withSubstitute(client.getKnownWorkflow({ params: { id } }), async () => {
    const of = { workflow_id: id };
    const allocations = (status: string) =>
      all((page) => client.listScheduledComputeNodes({ query: { ...of, status, ...page } }));
    const last = await client.listComputeNodes({ query: { ...of, sort_by: 'id', reverse_sort: true, limit: 1 } });
    return {
      workflow: await client.getWorkflow({ params: { id } }),
      slurm_schedulers: await all((page) => client.listSlurmSchedulers({ query: { ...of, ...page } })),
      remote_workers: (await client.listRemoteWorkers({ params: { id } })).map(({ worker }) => worker),
      actions: await client.listWorkflowActions({ params: { id } }),
      runners: await all((page) => client.listComputeNodes({ query: { ...of, is_active: true, ...page } })),
      last_runner: last.items[0],
      allocations: (await Promise.all(['planned', 'submitting', 'pending', 'active'].map(allocations))).flat(),
    };
  });

/** The limits of a workflow. Torc's own server has none, and runs all jobs without licenses. */
export const workflowLimits = (client: Client, id: number): Promise<WorkflowLimits> =>
  withSubstitute(client.getWorkflowLimits({ params: { id } }), async () => ({ limits: [], licensed: [] }));

export const knownJob = (client: Client, id: number): Promise<KnownJob> =>
  withSubstitute(client.getKnownJob({ params: { id } }), async () => {
    const whole = await client.getJob({ params: { id } });
    const { workflow_id: workflowId, depends_on_job_ids: before } = whole;
    const job = withoutRelations(whole);
    const query = { workflow_id: workflowId, job_id: id, all_runs: true };
    const found = (await all((page) => client.listResults({ query: { ...query, ...page } }))).toSorted(
      (one, other) => one.run_id - other.run_id || (one.attempt_id ?? 1) - (other.attempt_id ?? 1),
    );
    const results = found.slice(-MOST_RESULTS);
    const upstream = await upstreamOf(client, whole);
    const running = job.status === 'ready' ? await runningJobs(client, workflowId) : [];
    return {
      job,
      of: await knownWorkflow(client, workflowId),
      requirements: await client.getResourceRequirements({ params: { id: job.resource_requirements_id as number } }),
      upstream,
      upstream_left_out: (before?.length ?? 0) - upstream.length,
      canceled_by: job.status === 'canceled' ? await causeOf(client, workflowId, upstream) : undefined,
      results,
      results_left_out: found.length - results.length,
      nodes: await nodesOf(client, [
        job.compute_node_id,
        ...results.slice(-MOST_ATTEMPTS).map((each) => each.compute_node_id),
      ]),
      running,
      running_requirements: running.length === 0 ? [] : await requirementsOf(client, workflowId),
    };
  });

const withoutRelations = (job: Job): Job => {
  const names: ReadonlySet<string> = new Set(relationNames);
  return Object.fromEntries(Object.entries(job).filter(([name]) => !names.has(name))) as Job;
};

const upstreamOf = (client: Client, { depends_on_job_ids: ids }: Job): Promise<KnownUpstream[]> =>
  Promise.all(
    (ids ?? []).slice(0, MOST_UPSTREAM).map(async (each) => {
      const { id, name, status } = await client.getJob({ params: { id: each } });
      return { id, name, status: status ?? 'uninitialized' };
    }),
  );

/** Jobs that are followed upstream to find why one was canceled. */
const MOST_STEPS = 1000;

/** The nearest upstream job that did not end well by itself. */
async function causeOf(
  client: Client,
  workflowId: number,
  upstream: readonly KnownUpstream[],
): Promise<KnownUpstream | undefined> {
  const wrong = (jobs: readonly KnownUpstream[]) =>
    jobs.find(({ status }) => ENDED_BADLY.has(status)) ?? jobs.find(({ status }) => status === 'canceled');
  let found = wrong(upstream);
  for (let steps = 0; found?.status === 'canceled' && steps < MOST_STEPS; steps += 1) {
    const next = wrong(await upstreamOf(client, await client.getJob({ params: { id: found.id } })));
    if (next === undefined) break;
    found = next;
  }
  if (found === undefined) return undefined;
  const [result] = (await client.listResults({ query: { workflow_id: workflowId, job_id: found.id } })).items;
  return { ...found, return_code: result?.return_code };
}

/** The runners with these ids; those that were deleted are left out. */
async function nodesOf(client: Client, ids: readonly (number | null | undefined)[]): Promise<KnownJob['nodes']> {
  const asked = [...new Set(ids)].filter((id) => typeof id === 'number');
  const nodes = await Promise.all(asked.map((id) => client.getComputeNode({ params: { id } }).catch(() => undefined)));
  return nodes.filter((node) => node !== undefined);
}

async function runningJobs(client: Client, workflowId: number): Promise<KnownJob['running']> {
  const query = { workflow_id: workflowId, status: 'running' as const };
  const running = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  return running.map(({ compute_node_id: runner, resource_requirements_id: requirements }) => ({
    compute_node_id: runner ?? 0,
    resource_requirements_id: requirements ?? 0,
    jobs: 1,
  }));
}

const requirementsOf = (client: Client, workflowId: number): Promise<ResourceRequirements[]> =>
  all((page) => client.listResourceRequirements({ query: { workflow_id: workflowId, ...page } }));
