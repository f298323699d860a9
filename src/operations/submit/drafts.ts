import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { all } from '../../client/every.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import {
  allocationJobName,
  isScriptOf,
  scriptName,
  startupWindowSeconds,
  submissionToken,
} from '../../core/allocation/names.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { openLicenseRequests } from './ask-licenses.ts';
import { ownerLine } from './script-owner.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';
import { type AllocationRequest, requestOfRecord } from '../../core/allocation/request.ts';

/** A script that can be given to sbatch. */
export interface ScriptDraft {
  readonly path: string;
  readonly token: string;
  readonly jobName: string;
}

/** The scripts of the allocations of a workflow. */
export interface Drafts {
  /** Throws `SUBMISSION_REFUSED` for a request that cannot be served. */
  check(request: AllocationRequest): Promise<void>;
  /** Whether a job array may be made of its allocations. */
  takesArray(request: AllocationRequest): Promise<boolean>;
  /** Writes the script of a record, or of the array whose first record it is, in the place of one that is there. */
  write(record: AllocationRecord, isArray: boolean): Promise<ScriptDraft>;
  /** The script of a record that another process wrote. */
  find(record: AllocationRecord): ScriptDraft | undefined;
  /** The token by which squeue shows the job of a record, or of the array whose first record it is. */
  tokenOf(recordId: number): string;
}

let writtenHere = 0;

export async function openDrafts(tools: SubmitTools, workflowId: number): Promise<Drafts> {
  const { client, slurm, settings } = tools;
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const defaults = workflow.slurm_defaults ?? {};
  const licensesFor = openLicenseRequests(tools, workflow);
  const schedulers = new Map<number, Promise<SlurmScheduler>>();
  const schedulerOf = (id: number): Promise<SlurmScheduler> => {
    const found = schedulers.get(id) ?? client.getSlurmScheduler({ params: { id } });
    schedulers.set(id, found);
    return found;
  };
  let needs: Promise<readonly ResourceRequirements[]> | undefined;
  const readNeeds = () =>
    (needs ??= all((page) => client.listResourceRequirements({ query: { workflow_id: workflowId, ...page } })));

  const check = async (request: AllocationRequest) => refuse(workflow, await schedulerOf(request.schedulerId), request);
  const tokenOf = (recordId: number) =>
    submissionToken(recordId, { id: workflowId, timestamp: workflow.timestamp ?? '' });
  const pathOf = (token: string) => scriptWith(settings.outputDir, token);

  return {
    check,
    tokenOf,
    takesArray: async ({ schedulerId }) => slurm.takesArray(await schedulerOf(schedulerId), defaults),
    find(record) {
      const token = tokenOf(record.id);
      const path = pathOf(token);
      return path === undefined
        ? undefined
        : { path, token, jobName: slurm.jobNameIn(readFileSync(path, 'utf8')) ?? path };
    },
    async write(record, isArray) {
      const request = requestOfRecord(record);
      await check(request);
      const scheduler = await schedulerOf(request.schedulerId);
      writtenHere += 1;
      const isSerialized = scheduler.serialize_allocations === true;
      const { schedulerId, jobPrefix: prefix = '' } = request;
      const naming = { workflowId, schedulerId, pid: process.pid, number: writtenHere, prefix, isSerialized };
      const jobName = allocationJobName(naming);
      const script = slurm.scriptOf({
        jobName,
        scheduler,
        defaults: { ...(await licensesFor(scheduler, request, await readNeeds())), ...defaults },
        needs: await readNeeds(),
        submitter: ownerLine(),
        record: { id: record.id, isArray },
        workingFolder: process.cwd(),
        runner: { ...settings, workflowId, ...runnerOf(request, workflow, scheduler) },
      });
      const token = tokenOf(record.id);
      const old = pathOf(token);
      const path = join(settings.outputDir, scriptName(naming, token));
      makeFolder(settings.outputDir);
      writeFileSync(path, script, { mode: 0o755 });
      if (old !== undefined && old !== path) rmSync(old, { force: true });
      return { path, token, jobName };
    },
  };
}

/** Throws `SUBMISSION_REFUSED` for a request that cannot be served, before anything is submitted. */
function refuse(workflow: Workflow, scheduler: SlurmScheduler, request: AllocationRequest): void {
  const mode = workflow.execution_config?.mode ?? 'direct';
  const no = (message: string, facts: Record<string, unknown>) => new Refusal('SUBMISSION_REFUSED', message, facts);
  if (scheduler.workflow_id !== request.workflowId) {
    const found = { found: scheduler.workflow_id };
    throw no(`scheduler ${scheduler.id} belongs to workflow ${scheduler.workflow_id}`, found);
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

function runnerOf(request: AllocationRequest, workflow: Workflow, scheduler: SlurmScheduler) {
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

function scriptWith(folder: string, token: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => isScriptOf(each, token));
  return name === undefined ? undefined : join(folder, name);
}
