import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import { hostFacts } from '../../cluster/host/facts.ts';
import { withSubstitute } from '../../client/compat/unknown-route.ts';
import { all } from '../../client/every.ts';
import { type ExitCodes, exitCodesOf, storedEndOf } from '../../core/attempt/judge.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { Result } from '../../core/contract/result.ts';
import type { RunnerUse } from '../../core/contract/view.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { HpcPartition } from '../../core/hpc/profile.ts';
import { ENDED_BADLY, isOneOf, RAN } from '../../core/job/statuses.ts';
import type { AttemptEnd, JobFacts, LiveRunner, OtherJob } from '../../core/lifecycle/job-facts.ts';
import { roomOfNode } from '../../core/lifecycle/obstacles.ts';
import { nodesOf, recordedAttemptOf } from './recorded-attempts.ts';
import { placeOf } from '../place.ts';
import { queuedAllocations } from '../queued-allocations.ts';
import { limitsOf } from '../resource-use.ts';
import { futureRooms } from '../unrunnable.ts';

/** More dependencies are not read one by one: users read the first few. */
const MOST_DEPENDENCIES = 200;
/** The maximum number of jobs followed upstream to find the cause of a cancellation. */
const MOST_STEPS = 1000;

export interface Gathered {
  readonly facts: JobFacts;
  readonly workflow: Workflow;
  readonly result: Result | undefined;
  readonly node: ComputeNode | undefined;
}

export interface Here {
  readonly nowMs: number;
  /** With the programs of Slurm on its PATH, allocations that wait are asked about. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The partitions of the site, if one is known; asked only for a job that waits for an allocation. */
  readonly partitions?: (() => Promise<readonly HpcPartition[] | undefined>) | undefined;
  /** The user is on another machine than this one, whose resources say nothing. */
  readonly isAway?: boolean;
}

/** Reads all facts that explain the status of a job. */
export async function gatherFacts(
  client: Client,
  id: number,
  { nowMs, environment, partitions, isAway = false }: Here,
): Promise<Gathered> {
  const job = await client.getJob({ params: { id } });
  const { workflow_id: workflowId, status = 'uninitialized' } = job;
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const query = { workflow_id: workflowId, job_id: id, all_runs: true };
  const ofAllRuns = await all((page) => client.listResults({ query: { ...query, ...page } }));
  const results = ofAllRuns.filter(({ run_id: run }) => run === workflow.run_id);
  const hasEnded = isOneOf(RAN, status);
  const last = latestOf(results);
  // A job that is up to date keeps its status in a new run, without a result there.
  const earlier = hasEnded && last === undefined ? latestOf(ofAllRuns) : undefined;
  const result = hasEnded || last?.status === status ? (last ?? earlier) : undefined;
  const nodeId = result?.compute_node_id ?? job.compute_node_id;
  const nodes = await nodesOf(client, ofAllRuns, nodeId);
  const node = nodes.get(nodeId ?? 0);
  const dependencyIds = job.depends_on_job_ids ?? [];
  const dependencies = await others(client, dependencyIds);
  const runners = status === 'ready' ? await liveRunners(client, workflow, nowMs) : [];
  const { execution_config: execution } = workflow;
  const codes = exitCodesOf(execution);
  const isLost = status === 'running' && node !== undefined && (await hasLostRunner(client, node));
  const place = status === 'ready' || isLost ? await placeOf(client, workflowId) : undefined;
  const requirements = await client.getResourceRequirements({ params: { id: job.resource_requirements_id as number } });

  return {
    workflow,
    result,
    node,
    facts: {
      id,
      name: job.name,
      status: status ?? 'uninitialized',
      requirementsId: job.resource_requirements_id as number,
      attempt: job.attempt_id ?? 1,
      startedAt: job.start_time ?? undefined,
      labels: job.labels ?? [],
      schedulerId: job.scheduler_id ? job.scheduler_id : null,
      hasDefaultNeed: requirements.name === 'default',
      need: needOf(requirements),
      workflow: {
        id: workflowId,
        run: workflow.run_id ?? 0,
        isCanceled: workflow.is_canceled === true,
        isArchived: workflow.is_archived === true,
        ...(place === undefined ? {} : { place }),
      },
      dependencies,
      dependenciesLeftOut: dependencyIds.length - dependencies.length,
      cause: status === 'canceled' ? await causeOf(client, dependencies) : undefined,
      runners,
      queued:
        status === 'ready' && runners.length === 0 ? await queuedAllocations(client, workflowId, environment) : [],
      futureRooms: status === 'ready' && runners.length === 0 ? await futureRooms(client, workflow) : [],
      partitions: status === 'ready' && place?.runsIn === 'allocations' ? await partitions?.() : undefined,
      lastRunner:
        status === 'ready' && runners.length === 0 ? await lastRunner(client, workflowId, execution) : undefined,
      here: status === 'ready' && place?.runsIn === 'anywhere' && !isAway ? roomHere() : undefined,
      runningOn: node?.hostname,
      isLost,
      end: result && attemptEndOf(result, node, codes),
      endedInRun: earlier?.run_id,
      recorded: ofAllRuns.map((each) => recordedAttemptOf(each, nodes, codes)),
    },
  };
}

/** Whether the runner has ended without reporting it, as the process table of this host proves; a silent one elsewhere may work. */
async function hasLostRunner(client: Client, { id, workflow_id: workflowId }: ComputeNode): Promise<boolean> {
  const { findLostRunners } = await import('../../runner/recover/lost-runners.ts');
  const lost = await findLostRunners({ client, workflowId, hostname: hostname() });
  return lost.some((each) => each === id);
}

/** The last attempt of the last run. */
const latestOf = (results: readonly Result[]): Result | undefined =>
  results.toSorted((a, b) => b.run_id - a.run_id || (b.attempt_id ?? 1) - (a.attempt_id ?? 1))[0];

export const needOf = (requirements: ResourceRequirements): JobFacts['need'] => {
  const { memoryBytes, numCpus, runtimeSeconds = 60 } = limitsOf(requirements);
  return {
    num_cpus: numCpus,
    memory_bytes: memoryBytes,
    num_gpus: requirements.num_gpus ?? 0,
    num_nodes: requirements.num_nodes ?? 1,
    runtime_seconds: runtimeSeconds,
  };
};

const others = (client: Client, ids: readonly number[]): Promise<OtherJob[]> =>
  Promise.all(ids.slice(0, MOST_DEPENDENCIES).map(async (id) => other(await client.getJob({ params: { id } }))));

const other = ({ id, name, status }: Job): OtherJob => ({
  id: id,
  name,
  status: status ?? 'uninitialized',
  returnCode: undefined,
});

/** The nearest upstream job that failed by itself. */
async function causeOf(client: Client, dependencies: readonly OtherJob[]): Promise<OtherJob | undefined> {
  const wrong = (jobs: readonly OtherJob[]) =>
    jobs.find(({ status }) => ENDED_BADLY.has(status)) ?? jobs.find(({ status }) => status === 'canceled');
  let found = wrong(dependencies);
  for (let steps = 0; found?.status === 'canceled' && steps < MOST_STEPS; steps += 1) {
    const { depends_on_job_ids: above = [] } = await client.getJob({ params: { id: found.id } });
    const next = wrong(await others(client, above ?? []));
    if (next === undefined) break;
    found = next;
  }
  if (found === undefined) return undefined;
  const { workflow_id: workflowId } = await client.getJob({ params: { id: found.id } });
  const [result] = (await client.listResults({ query: { workflow_id: workflowId, job_id: found.id } })).items;
  return { ...found, returnCode: result?.return_code };
}

const attemptEndOf = (result: Result, node: ComputeNode | undefined, codes: ExitCodes): AttemptEnd => ({
  ...storedEndOf(result, codes),
  seconds: result.exec_time_minutes * 60,
  attempt: result.attempt_id ?? 1,
  endedAt: result.completion_time,
  peakMemoryBytes: result.peak_memory_bytes ?? undefined,
  handlerLimit: result.handler_limit ?? undefined,
  hostname: node?.hostname,
});

/** The active runners, with the resources that running jobs leave free. */
async function liveRunners(
  client: Client,
  { id: workflowId, execution_config: execution }: Pick<Workflow, 'id' | 'execution_config'>,
  nowMs: number,
): Promise<LiveRunner[]> {
  const query = { workflow_id: workflowId };
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, is_active: true, ...page } }));
  const running = await runnerUse(client, workflowId);
  const records = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
  const needs = new Map(records.map((each) => [each.id, needOf(each)]));
  return nodes.map((node) => {
    const room = roomOfNode(node, { execution, nowMs });
    const here = running.flatMap(({ compute_node_id: at, resource_requirements_id: needed, jobs }) => {
      const need = at === node.id ? needs.get(needed) : undefined;
      return need === undefined ? [] : [{ need, jobs }];
    });
    const slots = node.process?.max_parallel_jobs;
    const jobsHere = here.reduce((sum, { jobs }) => sum + jobs, 0);
    /** A job of several nodes uses them whole. */
    const left = (perNode: number, of: (need: JobFacts['need']) => number) =>
      here.reduce(
        (rest, { need, jobs }) => Math.max(0, rest - jobs * (need.num_nodes > 1 ? need.num_nodes * perNode : of(need))),
        perNode * room.nodes,
      );
    return {
      id: node.id,
      hostname: node.hostname,
      room,
      free: {
        cpus: typeof slots === 'number' ? (jobsHere < slots ? Infinity : 0) : left(room.cpus, (need) => need.num_cpus),
        memoryBytes: left(room.memoryBytes, (need) => need.memory_bytes),
        gpus: left(room.gpus, (need) => need.num_gpus),
      },
    };
  });
}

/** Running jobs by runner and requirements. A server without the route lists them one by one. */
const runnerUse = (client: Client, workflowId: number): Promise<RunnerUse> =>
  withSubstitute(client.getRunnerUse({ params: { id: workflowId } }), async () => {
    const query = { workflow_id: workflowId, status: 'running' as const };
    const running = await all((page) => client.listJobs({ query: { ...query, ...page } }));
    return running.map(({ compute_node_id: runner, resource_requirements_id: requirements }) => ({
      compute_node_id: runner ?? 0,
      resource_requirements_id: requirements ?? 0,
      jobs: 1,
    }));
  });

/** What a runner would have that a person starts here without options. */
function roomHere(): JobFacts['here'] {
  const { hostname, cpus, memoryBytes, gpus } = hostFacts();
  const room = { cpus, memoryBytes, gpus, nodes: 1, labels: [], schedulerId: null, isStrict: false, countsJobs: false };
  return { hostname, room: { ...room, time: undefined } };
}

/** The last runner, as it was at its start. */
async function lastRunner(
  client: Client,
  workflowId: number,
  execution: Workflow['execution_config'],
): Promise<JobFacts['lastRunner']> {
  const query = { workflow_id: workflowId, sort_by: 'id', reverse_sort: true, limit: 1 };
  const [node] = (await client.listComputeNodes({ query })).items;
  return node && { id: node.id, hostname: node.hostname, room: roomOfNode(node, { execution, nowMs: 0 }) };
}
