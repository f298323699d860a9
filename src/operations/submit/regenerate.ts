import type { Client } from '../../client/client.ts';
import { bindJobs } from '../../client/compat/bind-jobs.ts';
import { workflowLimits } from '../../client/compat/known.ts';
import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { overLimits } from '../../core/lifecycle/placement/allocation-room.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { type Remaining, subtractOpen } from '../../hpc/outstanding.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { NewWorkflowAction } from '../../core/contract/scheduling.ts';
import { type SchedulerPlanOptions, planSchedulers } from '../../hpc/plan-schedulers.ts';
import type { RequestOf } from '../../hpc/spec-with-schedulers.ts';
import { type WorkflowRules, workflowRules } from '../../hpc/workflow-rules.ts';
import { requestOf } from '../../core/allocation/request.ts';
import { allocationsInUse, pendingJobs } from './pending.ts';
import { settleSubmissions } from './settle-submissions.ts';
import { submitAllocations } from './submit-allocations.ts';
import { AllocationsFailed, type SubmitTools } from './submit-tools.ts';

export interface RegenerateOptions extends Omit<SchedulerPlanOptions, 'waitsFor' | 'suffix' | keyof WorkflowRules> {
  /** A planned scheduler in the words of the batch system of the site. */
  readonly inWordsOfSite: RequestOf;
  readonly submits: boolean;
  readonly isDryRun: boolean;
  /** Jobs that count although they do not wait yet. */
  readonly includedJobs: readonly number[];
  /** Plans as if these requirements had been changed already, and as if nothing waited or ran: for a dry run of more. */
  readonly ahead?: { readonly requirements: ReadonlyMap<number, ResourceRequirements> } | undefined;
  readonly nowMs: number;
}

export interface Regenerated {
  readonly pendingJobs: number;
  readonly schedulers: readonly RegeneratedScheduler[];
  readonly warnings: readonly string[];
  /** Those of interrupted submissions included. */
  readonly submitted: readonly SlurmJob[];
  readonly deferred: number;
  /** Allocations that wait or run already and were counted. */
  readonly existing: number;
}

export interface RegeneratedScheduler extends Remaining {
  /** Undefined in a dry run, and where allocations that exist are enough. */
  readonly id: number | undefined;
  readonly jobNames: readonly string[];
}

/** Too many, and other requests wait for this one: 250 take the server 10 ms. */
const BOUND_AT_ONCE = 250;

/** Names of schedulers that this makes: `short_regen_20261122_170312`, `short_deferred_regen_…`. */
const suffixAt = (nowMs: number) =>
  `regen_${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_')}`;
const IS_REGENERATED = /_regen_\d{8}_\d{6}$/;

/**
 * Makes schedulers for the jobs that wait, binds the jobs to them, and submits their allocations.
 *
 * The actions schedule_nodes that were there are marked as executed first, so that no allocation is submitted twice for
 * one need; allocations that wait or run are subtracted. Groups that wait for other jobs get a recovery action, which is
 * deleted when the workflow is initialized again. Every step can be repeated: after a kill, the same command completes it.
 */
export async function regenerate(
  tools: SubmitTools,
  workflowId: number,
  options: RegenerateOptions,
): Promise<Regenerated> {
  const { client } = tools;
  const { isDryRun, submits, nowMs } = options;
  const settled = isDryRun || !submits ? [] : await settleSubmissions(tools, workflowId);
  const pending = await pendingJobs(client, workflowId, options.includedJobs, options.ahead?.requirements);
  const nothing = { schedulers: [], submitted: settled, deferred: 0, existing: 0 };
  if (pending.jobs.length === 0) {
    // What an earlier call deferred was for jobs that have failed or were canceled meanwhile.
    if (!isDryRun && options.ahead === undefined) await retireActions(client, workflowId, 'recovery actions alone');
    return { ...nothing, pendingJobs: 0, warnings: [] };
  }
  // What runners have left is by the clock of the server; Torc's own does not say it.
  const serverMs = async () => (await client.ping()).now_ms ?? nowMs;
  const open = options.ahead === undefined ? await allocationsInUse(client, workflowId, await serverMs()) : [];
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const plan = planSchedulers(pending.groups, {
    ...options,
    ...workflowRules(workflow),
    waitsFor: pending.waitsFor,
    suffix: suffixAt(nowMs),
  });
  const remaining = subtractOpen(plan.schedulers, open);
  const found = {
    pendingJobs: pending.jobs.length,
    warnings: [
      ...pending.warnings,
      ...plan.warnings,
      ...overLimits((await workflowLimits(client, workflowId)).limits, nodesNow(remaining)),
    ],
    existing: open.length,
    deferred: sum(remaining.filter(({ planned }) => planned.group.isDeferred)),
  };
  const namesOf = ({ planned }: Remaining) => planned.group.jobs.map(({ name }) => name);
  if (isDryRun || plan.schedulers.length === 0) {
    const schedulers = remaining.map((each) => ({ ...each, id: undefined, jobNames: namesOf(each) }));
    return { ...nothing, ...found, schedulers };
  }

  await retireActions(client, workflowId);
  const isDirect = (workflow.execution_config?.mode ?? 'direct') === 'direct';
  const schedulers: RegeneratedScheduler[] = [];
  for (const each of remaining)
    schedulers.push({ ...each, id: await createScheduler(client, workflowId, each, options), jobNames: namesOf(each) });
  await bindToSchedulers(client, pending.jobs, schedulers);
  await removeUnused(
    client,
    workflowId,
    schedulers.map(({ id }) => id),
  );
  for (const each of schedulers)
    if (each.planned.group.isDeferred || !submits)
      await createAction(client, workflowId, each, { jobs: pending.jobs, isDirect });
  const submitted = [...settled];
  const counting: SubmitTools = {
    ...tools,
    onSubmitted(allocation) {
      submitted.push(allocation.job);
      tools.onSubmitted(allocation);
    },
  };
  if (submits)
    for (const each of schedulers.filter(({ planned }) => !planned.group.isDeferred)) {
      if (each.id === undefined) continue;
      try {
        await submitAllocations(counting, {
          workflowId,
          schedulerId: each.id,
          allocations: each.allocations,
          startOneWorkerPerNode: isPerNode(each, isDirect),
          maxParallelJobs: undefined,
        });
      } catch (error) {
        if (!(error instanceof AllocationsFailed)) throw error;
        found.warnings.push(`${error.submitted} of ${each.allocations} allocations: ${error.message}`);
      }
    }
  return { ...found, schedulers, submitted };
}

/** The nodes of the allocations that are submitted at once. */
const nodesNow = (list: readonly Remaining[]) =>
  list.reduce(
    (total, { planned, allocations, nodes }) => total + (planned.group.isDeferred ? 0 : allocations * nodes),
    0,
  );

const sum = (list: readonly Remaining[]) => list.reduce((total, { allocations }) => total + allocations, 0);

const isPerNode = ({ planned, nodes }: Remaining, isDirect: boolean) =>
  isDirect && nodes > 1 && planned.group.nodes === 1;

/** Marks the actions that submit allocations as executed; recovery actions that were not executed are replaced. */
async function retireActions(
  client: Client,
  workflowId: number,
  which: 'all' | 'recovery actions alone' = 'all',
): Promise<void> {
  for (const action of await client.listWorkflowActions({ params: { id: workflowId } })) {
    const params = { id: workflowId, action_id: action.id };
    if (requestOf(action) === undefined || action.executed === true) continue;
    if (action.is_recovery === true) await client.deleteWorkflowAction({ params });
    else if (which === 'all') await client.claimWorkflowAction({ params, body: {} }).catch(ignoreClaimed);
  }
}

function ignoreClaimed(error: unknown): void {
  if (!(error instanceof ServiceError && error.status === 409)) throw error;
}

async function createScheduler(
  client: Client,
  workflowId: number,
  { planned, allocations, nodes }: Remaining,
  { inWordsOfSite }: Pick<RegenerateOptions, 'inWordsOfSite'>,
): Promise<number | undefined> {
  if (allocations === 0) return undefined;
  const request = inWordsOfSite({ ...planned, nodes });
  const isSerialized = planned.isSerialized ? { serialize_allocations: true } : {};
  return (await client.createSlurmScheduler({ body: { workflow_id: workflowId, ...request, ...isSerialized } })).id;
}

/** Each job gets its new scheduler; where allocations that exist are enough, that of one of them. */
async function bindToSchedulers(
  client: Client,
  jobs: readonly Job[],
  schedulers: readonly RegeneratedScheduler[],
): Promise<void> {
  for (const { id, coveredBy, planned } of schedulers) {
    const schedulerId = id ?? coveredBy[0];
    if (schedulerId === undefined) continue;
    const changed = planned.group.jobs.flatMap(({ number }) => {
      const job = jobs[number] as Job;
      return job.scheduler_id === schedulerId ? [] : [job];
    });
    for (let at = 0; at < changed.length; at += BOUND_AT_ONCE)
      await bindJobs(client, changed.slice(at, at + BOUND_AT_ONCE), schedulerId);
  }
}

/** Schedulers of an earlier call that no job and no allocation uses; `current` are those of this call. */
async function removeUnused(
  client: Client,
  workflowId: number,
  current: readonly (number | undefined)[],
): Promise<void> {
  const query = { workflow_id: workflowId };
  const schedulers = await all((page) => client.listSlurmSchedulers({ query: { ...query, ...page } }));
  const old = schedulers.filter(({ id, name }) => IS_REGENERATED.test(name ?? '') && !current.includes(id));
  if (old.length === 0) return;
  const rows = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const used = new Set(rows.map(({ scheduler_config_id: id }) => id));
  // Jobs may be many; they are read only if they decide anything.
  if (old.every(({ id }) => used.has(id))) return;
  const jobs = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  for (const { scheduler_id: id } of jobs) if (id) used.add(id);
  for (const { id } of old) if (!used.has(id)) await client.deleteSlurmScheduler({ params: { id: id } });
}

async function createAction(
  client: Client,
  workflowId: number,
  each: RegeneratedScheduler,
  { jobs, isDirect }: { readonly jobs: readonly Job[]; readonly isDirect: boolean },
): Promise<void> {
  const { id, planned, allocations } = each;
  if (id === undefined) return;
  const gate = new Set(planned.gate);
  const gateJobs = planned.group.jobs.filter(({ name }) => gate.has(name)).map(({ number }) => jobs[number] as Job);
  const config = {
    scheduler_id: id,
    scheduler_type: 'slurm',
    num_allocations: allocations,
    ...(isPerNode(each, isDirect) ? { start_one_worker_per_node: true } : {}),
  };
  const body: NewWorkflowAction = {
    workflow_id: workflowId,
    trigger_type: 'on_jobs_ready',
    action_type: 'schedule_nodes',
    action_config: config,
    job_ids: gateJobs.map((job) => job.id),
    // Torc's own server counts only jobs that become ready after this.
    trigger_count: gateJobs.filter(({ status }) => status === 'ready').length,
    is_recovery: true,
  };
  await client.createWorkflowAction({ params: { id: workflowId }, body });
}
