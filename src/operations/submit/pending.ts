import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { OpenAllocation } from '../../hpc/outstanding.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import { HELD, UNCLAIMED, WAITS_FOR_USER } from '../../core/job/statuses.ts';
import { downstreamOf } from '../../core/lifecycle/rerun/downstream.ts';
import { groupPending, type PendingGroups, type PendingJob } from '../../hpc/pending-groups.ts';
import { timeOfNode } from '../../core/lifecycle/placement/obstacles.ts';
import { roomOfScheduler } from '../../core/lifecycle/placement/scheduler-room.ts';
import { parseGres } from '../../core/quantity/gres.ts';
import { needOf } from '../../core/lifecycle/resources/resource-use.ts';
import { slurmJobOf } from '../orphans/find.ts';
import { openAllocations } from './cancel-allocations.ts';

/** Everything downstream of these jobs. */
const stuckJobs = (
  ids: readonly number[],
  edges: readonly { readonly job_id: number; readonly depends_on_job_id: number }[],
): ReadonlySet<number> => (ids.length === 0 ? new Set() : downstreamOf(ids, edges));

const MEBIBYTE = 2 ** 20;

export interface Pending extends PendingGroups {
  readonly jobs: readonly Job[];
}

/** The jobs of a workflow that wait to run, with some others, in groups. */
export async function pendingJobs(
  client: Client,
  workflowId: number,
  included: readonly number[] = [],
  changed: ReadonlyMap<number, ResourceRequirements> = new Map(),
): Promise<Pending> {
  const query = { workflow_id: workflowId };
  const lists = await Promise.all(
    [...UNCLAIMED].map((status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
  );
  const known = new Set(lists.flat().map(({ id }) => id));
  const more: Job[] = [];
  for (const id of included.filter((each) => !known.has(each))) more.push(await client.getJob({ params: { id } }));
  const jobs = [...lists.flat(), ...more].toSorted((a, b) => a.id - b.id);
  if (jobs.length === 0) return { jobs, groups: [], warnings: [], waitsFor: () => () => false };

  const held = await Promise.all(
    [...HELD].map((status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
  );
  const isOpen = new Set([...jobs, ...held.flat()].map(({ id }) => id));
  const dependencies = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  const edges = dependencies
    .filter(({ depends_on_job_id: upstream }) => isOpen.has(upstream))
    .map(({ job_id: job, depends_on_job_id: upstream }) => ({ job, upstream }));
  const records = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
  const needs = new Map(
    records.map((record) => {
      const {
        num_cpus: cpus,
        memory_bytes: bytes,
        num_gpus: gpus,
        num_nodes: nodes,
        runtime_seconds: runtime,
      } = needOf(changed.get(record.id) ?? record);
      const amounts = { cpus, memoryMb: bytes / MEBIBYTE, gpus, nodes, runtimeSeconds: runtime };
      return [record.id, { name: record.name, ...amounts }];
    }),
  );
  const wait = await Promise.all(
    [...WAITS_FOR_USER].map((status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
  );
  const stuck = stuckJobs(
    wait.flat().flatMap(({ id }) => (included.includes(id) ? [] : [id])),
    dependencies,
  );
  const keptOf = keptSchedulers(await all((page) => client.listSlurmSchedulers({ query: { ...query, ...page } })));
  const asked = jobs.map((job): PendingJob => ({
    id: job.id,
    name: job.name,
    requirementsId: job.resource_requirements_id as number,
    isLabelled: (job.labels ?? []).length > 0,
    isStuck: stuck.has(job.id),
    kept: keptOf(job, needs.get(job.resource_requirements_id as number)?.gpus ?? 0),
  }));
  return { jobs, ...groupPending(asked, needs, edges) };
}

/**
 * The scheduler whose partition, account and QOS a job keeps: its own, or the first that suits its GPUs if it has none, because
 * any runner may take it.
 */
function keptSchedulers(schedulers: readonly SlurmScheduler[]) {
  const byId = new Map(schedulers.map((each) => [each.id, each]));
  const inOrder = schedulers.toSorted((a, b) => a.id - b.id);
  const hasGpus = ({ gres }: SlurmScheduler) => parseGres(gres ?? '') !== undefined;
  const free = [false, true].map((wanted) => inOrder.find((each) => hasGpus(each) === wanted) ?? inOrder[0]);
  return ({ scheduler_id: id }: Job, gpus: number): SlurmScheduler | undefined =>
    (id ? byId.get(id) : undefined) ?? free[Number(gpus > 0)];
}

/** The allocations of a workflow that wait or run, with what they offer. */
export async function allocationsInUse(client: Client, workflowId: number, nowMs: number): Promise<OpenAllocation[]> {
  const query = { workflow_id: workflowId };
  const records = await openAllocations(client, workflowId);
  if (records.length === 0) return [];
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const schedulers = await all((page) => client.listSlurmSchedulers({ query: { ...query, ...page } }));
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, is_active: true, ...page } }));
  const runners = new Map(nodes.map((node) => [slurmJobOf(node), node]));
  return records.map((record) => {
    const known = schedulers.find(({ id }) => id === record.scheduler_config_id);
    const room = roomOfScheduler(known ?? { nodes: 1, walltime: '' }, workflow);
    const runner = record.status === 'active' ? runners.get(record.scheduler_id) : undefined;
    const time = runner && timeOfNode(runner, workflow.execution_config, nowMs);
    return {
      schedulerId: record.scheduler_config_id,
      nodes: known?.nodes ?? 1,
      room: time === undefined ? room : { ...room, time },
    };
  });
}
