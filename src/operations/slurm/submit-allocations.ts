import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { pause } from '../../client/long-timers.ts';
import { type Slurm, SubmissionFailed } from '../../cluster/slurm/slurm.ts';
import { cpusToAsk } from '../../core/allocation/cpu-request.ts';
import {
  allocationJobName,
  isScriptOf,
  scriptName,
  startupWindowSeconds,
  submissionToken,
} from '../../core/allocation/names.ts';
import { submissionScript } from '../../core/allocation/submission-script.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import type { Workflow } from '../../core/contract/workflow.ts';

export interface AllocationRequest {
  readonly workflowId: number;
  readonly schedulerId: number;
  readonly allocations: number;
  readonly startOneWorkerPerNode: boolean;
  readonly maxParallelJobs: number | undefined;
  readonly jobPrefix?: string | undefined;
}

/** What all submissions of a program have in common. */
export interface SubmitSettings {
  readonly url: string;
  readonly outputDir: string;
  readonly pollIntervalSeconds: number;
  readonly claimBackoffMaxSeconds: number | undefined;
  readonly tlsCaCert: string | undefined;
  readonly tlsInsecure: boolean;
  readonly keepsScripts: boolean;
}

export interface SubmitTools {
  readonly client: Client;
  readonly slurm: Slurm;
  readonly settings: SubmitSettings;
  /** Called for each allocation that Slurm accepted. */
  readonly onSubmitted: (allocation: { jobName: string; jobId: number }) => void;
  readonly onWarning: (words: string) => void;
  /** Pauses between attempts at a controller that is away; shorter in tests. */
  readonly retryMs?: number;
}

/** An allocation could not be submitted; `submitted` were before it. */
export class AllocationsFailed extends Error {
  readonly submitted: number;

  constructor(message: string, submitted: number) {
    super(message);
    this.name = 'AllocationsFailed';
    this.submitted = submitted;
  }
}

/**
 * Submits allocations of a scheduler to Slurm and returns their job ids.
 *
 * Each has a record on the server, status `submitting`, before sbatch runs, so that nothing is submitted twice: after a
 * failure whose outcome is unclear the job is looked for by the token in the path of its script.
 * Throws `AllocationsFailed` at the first that is not accepted.
 */
export async function submitAllocations(tools: SubmitTools, request: AllocationRequest): Promise<number[]> {
  const { client } = tools;
  const workflow = await client.getWorkflow({ params: { id: request.workflowId } });
  const scheduler = await client.getSlurmScheduler({ params: { id: request.schedulerId } });
  refuse(workflow, scheduler, request);
  const needs = await all((page) =>
    client.listResourceRequirements({ query: { workflow_id: request.workflowId, ...page } }),
  );
  const defaults = workflow.slurm_defaults ?? {};
  const cpus = cpusToAsk({ defaults, extra: scheduler.extra }, needs);
  const jobIds: number[] = [];
  for (let number = 1; number <= request.allocations; number += 1) {
    try {
      jobIds.push(await submitOne(tools, request, { workflow, scheduler, cpus, number }));
    } catch (error) {
      if (!(error instanceof SubmissionFailed) && !(error instanceof Refusal)) throw error;
      throw new AllocationsFailed(error.message, jobIds.length);
    }
  }
  return jobIds;
}

/** Throws `SUBMISSION_REFUSED` for a request that cannot be served, before anything is submitted. */
function refuse(workflow: Workflow, scheduler: SlurmScheduler, request: AllocationRequest): void {
  const mode = workflow.execution_config?.mode ?? 'direct';
  const no = (message: string, facts: Record<string, unknown>) => new Refusal('SUBMISSION_REFUSED', message, facts);
  if (scheduler.workflow_id !== request.workflowId) {
    const found = { found: scheduler.workflow_id };
    throw no(`Slurm scheduler ${scheduler.id} belongs to workflow ${scheduler.workflow_id}`, found);
  }
  if (request.startOneWorkerPerNode && mode !== 'direct') {
    const words = `start_one_worker_per_node requires execution_config.mode to be 'direct', found '${mode}'`;
    throw no(words, { field: 'start_one_worker_per_node' });
  }
  if (scheduler.serialize_allocations === true && (request.jobPrefix ?? '') !== '') {
    const words = `--job-prefix cannot be used with scheduler ${scheduler.name ?? scheduler.id}: its serialized allocations share one job name`;
    throw no(words, { found: request.jobPrefix });
  }
}

interface One {
  readonly workflow: Workflow;
  readonly scheduler: SlurmScheduler;
  readonly cpus: number | undefined;
  readonly number: number;
}

let submittedHere = 0;

async function submitOne(tools: SubmitTools, request: AllocationRequest, one: One): Promise<number> {
  const { client, settings, onSubmitted } = tools;
  const { workflow, scheduler, cpus } = one;
  const { workflowId, schedulerId } = request;
  submittedHere += 1;
  const isSerialized = scheduler.serialize_allocations === true;
  const naming = {
    workflowId,
    schedulerId,
    pid: process.pid,
    number: submittedHere,
    prefix: request.jobPrefix ?? '',
    isSerialized,
  };
  const jobName = allocationJobName(naming);
  const script = submissionScript({
    jobName,
    scheduler,
    defaults: workflow.slurm_defaults ?? {},
    additions: cpus === undefined ? {} : { 'cpus-per-task': String(cpus) },
    overrides: isSerialized ? { dependency: 'singleton' } : {},
    submitter: submitterLine(),
    runner: { ...settings, workflowId, ...runnerOf(request, one) },
  });
  const record = await client.createScheduledComputeNode({
    body: {
      workflow_id: workflowId,
      scheduler_id: 0,
      scheduler_config_id: schedulerId,
      scheduler_type: 'slurm',
      status: 'submitting',
    },
  });
  const token = tokenOf(record, workflow);
  const path = join(settings.outputDir, scriptName(naming, token));
  makeFolder(settings.outputDir);
  writeFileSync(path, script, { mode: 0o755 });
  const jobId = await submitScript(tools, { record, path, token });
  onSubmitted({ jobName, jobId });
  return jobId;
}

function runnerOf(request: AllocationRequest, { workflow, scheduler }: One) {
  const { execution_config: execution, resource_monitor_config: monitor } = workflow;
  const perNode = request.startOneWorkerPerNode;
  const runners =
    (scheduler.serialize_allocations === true ? 1 : request.allocations) * (perNode ? scheduler.nodes : 1);
  return {
    maxParallelJobs: request.maxParallelJobs,
    startupDelaySeconds: execution?.staggered_start === false ? 0 : startupWindowSeconds(runners),
    perNode: perNode ? { mpi: execution?.srun_mpi ?? undefined } : undefined,
    monitorsNodes: monitor?.compute_node?.enabled === true && scheduler.nodes > 1,
  };
}

/** The line by which `settleSubmissions` knows whether the process that wrote a script still runs. */
export const submitterLine = (): string => `submitted by process ${process.pid} on ${hostname()}`;

export const tokenOf = (record: ScheduledComputeNode, workflow: Workflow): string =>
  submissionToken(record.id as number, { id: workflow.id as number, timestamp: workflow.timestamp ?? '' });

interface Written {
  readonly record: ScheduledComputeNode;
  readonly path: string;
  readonly token: string;
}

/** Attempts at a controller that cannot be reached, and the time between them: a minute in all, as in Torc 1.0.0. */
const TRIES = 6;
const RETRY_MS = 10_000;

/**
 * Gives a script to sbatch, and stores the id of the job.
 *
 * A refused script is removed with its record. If neither sbatch nor squeue can say whether the job exists, the record
 * stays `submitting`: `torc submit` decides later.
 */
export async function submitScript(tools: SubmitTools, { record, path, token }: Written): Promise<number> {
  const { client, slurm, settings, retryMs = RETRY_MS } = tools;
  const id = record.id as number;
  let wasUnclear = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const jobId = await slurm.submit(path);
      await settled(jobId);
      if (wasUnclear) await cancelDouble(tools, token, jobId);
      return jobId;
    } catch (error) {
      if (!(error instanceof SubmissionFailed)) throw error;
      if (error.kind === 'refused') {
        rmSync(path, { force: true });
        await client.deleteScheduledComputeNode({ params: { id } });
        throw error;
      }
      wasUnclear ||= error.kind === 'unclear';
      if (attempt > 1 || error.kind === 'away') await pause(retryMs);
      const found = await submissionOf(slurm, token).catch(() => undefined);
      if (found !== undefined && 'jobId' in found) {
        await settled(found.jobId);
        await cancelDouble(tools, token, found.jobId);
        return found.jobId;
      }
      if (attempt < TRIES && (found !== undefined || error.kind === 'away')) continue;
      const what = `allocation record ${id} stays "submitting"; torc submit ${record.workflow_id} looks for its job again`;
      throw new SubmissionFailed(`${error.message}; ${what}`, error.kind);
    }
  }

  async function settled(jobId: number): Promise<void> {
    const now = await client.getScheduledComputeNode({ params: { id } });
    // The workflow was canceled while sbatch ran: nothing else knows of this job.
    if (now.status === 'canceled') await slurm.cancel(jobId);
    const status = now.status === 'submitting' ? 'pending' : now.status;
    await client.updateScheduledComputeNode({ params: { id }, body: { ...now, scheduler_id: jobId, status } });
    if (!settings.keepsScripts) rmSync(path, { force: true });
  }
}

/** The job that was submitted with this token, or `{}` if squeue lists none. */
export async function submissionOf(slurm: Slurm, token: string): Promise<{ jobId: number } | Record<string, never>> {
  const found = (await slurm.scripts()).filter(({ script }) => isScriptOf(script, token));
  return found[0] === undefined ? {} : { jobId: found[0].jobId };
}

/** An earlier attempt that reached the controller late: its job is the same request once more. */
async function cancelDouble({ slurm, onWarning }: SubmitTools, token: string, jobId: number): Promise<void> {
  const found = await slurm.scripts().catch(() => []);
  for (const double of found.filter((each) => isScriptOf(each.script, token) && each.jobId !== jobId)) {
    onWarning(`Slurm accepted the same allocation twice; job ${double.jobId} is canceled, job ${jobId} stays`);
    await slurm.cancel(double.jobId);
  }
}
