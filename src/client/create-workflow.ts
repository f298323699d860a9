import type { NewJob } from '../core/contract/job.ts';
import { storedRules } from '../core/lifecycle/cause-rules.ts';
import type { ExecutionConfig, ResourceMonitorConfig, NewWorkflow } from '../core/contract/workflow.ts';
import type { Plan, PlannedAction, PlannedJob } from '../core/workflow-file/plan/plan.ts';
import type { Client } from './client.ts';
import { BATCH, createJobsInOrder } from './create-jobs.ts';

export interface CreateOptions {
  readonly user: string;
  /** The absolute working directory of the user who submits; undefined for one in a browser. */
  readonly submissionDirectory: string | undefined;
  /** Monitors jobs in summary mode if the plan does not configure monitoring. */
  readonly monitorsJobs: boolean;
  /** The modification time of a file in seconds; undefined if it does not exist. */
  readonly mtimeOf: (path: string) => Promise<number | undefined>;
  /** Called with the number of jobs created so far. */
  readonly onProgress?: (jobs: number) => void;
}

/**
 * Creates the workflow of a plan and returns its id.
 *
 * If anything is refused, or the connection breaks, the incomplete workflow is deleted.
 */
export async function createWorkflow(client: Client, plan: Plan, options: CreateOptions): Promise<number> {
  return createWhole(client, workflowBody(plan, options), (id) => createRecords(client, plan, id, options));
}

/** Creates a workflow that counts as whole when its records are there; if they cannot be created, it is deleted. Returns its id. */
export async function createWhole(
  client: Client,
  body: NewWorkflow,
  createRecordsOf: (id: number) => Promise<void>,
): Promise<number> {
  const created = await client.createWorkflow({ body: { ...body, is_being_created: true } });
  const id = created.id;
  try {
    await createRecordsOf(id);
    // Torc's own server knows only whole workflows.
    if (created.is_being_created === true)
      await client.updateWorkflow({ params: { id }, body: { is_being_created: false } });
    return id;
  } catch (error) {
    await client.deleteWorkflow({ params: { id } }).catch(() => {});
    throw error;
  }
}

/** Ids of created records, by number in the plan. */
type Ids = Float64Array;

async function createRecords(client: Client, plan: Plan, workflowId: number, options: CreateOptions): Promise<void> {
  const files = await createFiles(client, plan, workflowId, options);
  const userData = await createUserData(client, plan, workflowId);
  const requirements: number[] = [];
  for (const spec of plan.resourceRequirements) {
    const body = { workflow_id: workflowId, num_gpus: 0, num_nodes: 1, runtime: 'PT1H', ...spec };
    requirements.push((await client.createResourceRequirements({ body })).id);
  }
  const schedulers: number[] = [];
  for (const spec of plan.slurmSchedulers) {
    const body = { workflow_id: workflowId, nodes: 1, walltime: '01:00:00', ...spec };
    schedulers.push(spec.name === undefined ? 0 : (await client.createSlurmScheduler({ body })).id);
  }
  const handlers: number[] = [];
  for (const handler of plan.failureHandlers) {
    const body = { workflow_id: workflowId, name: handler.name, rules: JSON.stringify(storedRules(handler)) };
    handlers.push((await client.createFailureHandler({ body })).id);
  }
  const records = { files, userData, requirements, schedulers, handlers };
  const jobs = await createJobsInOrder(client, {
    order: plan.levels.items,
    jobOf: (number) => plan.jobs.at(number),
    dependsOn: (job) => job.dependsOn,
    namesOf: (job) =>
      job.dependsOn.length +
      job.inputFiles.length +
      job.outputFiles.length +
      job.inputUserData.length +
      job.outputUserData.length,
    bodyOf: (job, earlier) => jobBody(job, workflowId, records, earlier),
    onProgress: options.onProgress,
  });
  for (const action of plan.actions) {
    await client.createWorkflowAction({
      params: { id: workflowId },
      body: actionBody(plan, action, workflowId, jobs, schedulers),
    });
  }
}

async function createFiles(client: Client, plan: Plan, workflowId: number, { mtimeOf }: CreateOptions): Promise<Ids> {
  const consumed = new Set(plan.consumedFiles());
  const ids = new Float64Array(plan.files.length);
  for (let at = 0; at < ids.length; at += BATCH) {
    const numbers = range(at, Math.min(at + BATCH, ids.length));
    const bodies = numbers.map(async (number) => {
      const { name, path, stMtime } = plan.files.at(number);
      const mtime = stMtime ?? (consumed.has(number) ? await mtimeOf(path) : undefined);
      return { workflow_id: workflowId, name, path, st_mtime: mtime };
    });
    const { files } = await client.createFiles({ body: { files: await Promise.all(bodies) } });
    for (const [index, { id }] of files.entries()) ids[at + index] = id;
  }
  return ids;
}

async function createUserData(client: Client, plan: Plan, workflowId: number): Promise<Ids> {
  const ids = new Float64Array(plan.userData.length);
  for (let at = 0; at < ids.length; at += BATCH) {
    const numbers = range(at, Math.min(at + BATCH, ids.length)).filter(
      (number) => plan.userData.at(number).name !== undefined,
    );
    if (numbers.length === 0) continue;
    const bodies = numbers.map((number) => {
      const { name, data, isEphemeral } = plan.userData.at(number);
      return { workflow_id: workflowId, name: name as string, data: data as never, is_ephemeral: isEphemeral };
    });
    const { user_data: created } = await client.createUserDataList({ body: { user_data: bodies } });
    for (const [index, { id }] of created.entries()) ids[numbers[index] as number] = id;
  }
  return ids;
}

interface RecordIds {
  readonly files: Ids;
  readonly userData: Ids;
  readonly requirements: readonly number[];
  readonly schedulers: readonly number[];
  readonly handlers: readonly number[];
}

/** `earlier` are the ids of its dependencies. */
function jobBody(job: PlannedJob, workflowId: number, records: RecordIds, earlier: number[]): NewJob {
  const { files, userData, requirements, schedulers, handlers } = records;
  const of = (numbers: Int32Array, ids: Ids) =>
    numbers.length === 0 ? undefined : Array.from(numbers, (number) => ids[number] as number);
  const one = (number: number | undefined, ids: readonly number[]) => (number === undefined ? undefined : ids[number]);
  return {
    workflow_id: workflowId,
    name: job.name,
    command: job.command,
    invocation_script: job.invocationScript,
    env: job.env as Record<string, string> | undefined,
    priority: job.priority,
    cancel_on_blocking_job_failure: job.cancelOnBlockingJobFailure,
    supports_termination: job.supportsTermination,
    labels: job.labels as string[] | undefined,
    resource_requirements_id: one(job.resourceRequirements, requirements),
    scheduler_id: one(job.scheduler, schedulers),
    failure_handler_id: one(job.failureHandler, handlers),
    depends_on_job_ids: earlier.length === 0 ? undefined : earlier,
    input_file_ids: of(job.inputFiles, files),
    output_file_ids: of(job.outputFiles, files),
    input_user_data_ids: of(job.inputUserData, userData),
    output_user_data_ids: of(job.outputUserData, userData),
  };
}

/** The monitoring configuration if the file has none. */
const MONITORING: ResourceMonitorConfig = {
  sample_interval_seconds: 10,
  flush_interval_seconds: 300,
  generate_plots: false,
  jobs: { enabled: true, granularity: 'summary' },
};

function workflowBody(plan: Plan, { user, submissionDirectory, monitorsJobs }: CreateOptions) {
  const {
    resource_monitor: monitor,
    metadata,
    slurm_defaults: defaults,
    access_groups: groups,
    env,
    ...workflow
  } = plan.workflow;
  return {
    ...workflow,
    user,
    env: env as Record<string, string> | undefined,
    metadata: metadata as never,
    slurm_defaults: defaults as never,
    access_groups: groups as string[] | undefined,
    resource_monitor_config: (monitor as ResourceMonitorConfig | undefined) ?? (monitorsJobs ? MONITORING : undefined),
    execution_config: plan.executionConfig() as ExecutionConfig | undefined,
    submission_directory: submissionDirectory,
  };
}

function actionBody(
  plan: Plan,
  { spec, jobs: numbers }: PlannedAction,
  workflowId: number,
  jobs: Ids,
  schedulers: readonly number[],
) {
  const scheduler = plan.slurmSchedulers.findIndex(({ name }) => name === spec.scheduler);
  const config =
    spec.action_type === 'run_commands'
      ? { commands: spec.commands }
      : {
          scheduler_id: spec.scheduler_type === 'slurm' ? schedulers[scheduler] : 0,
          scheduler_type: spec.scheduler_type,
          num_allocations: spec.num_allocations ?? 1,
          start_one_worker_per_node: spec.start_one_worker_per_node,
          max_parallel_jobs: spec.max_parallel_jobs,
        };
  return {
    workflow_id: workflowId,
    trigger_type: spec.trigger_type,
    action_type: spec.action_type,
    action_config: JSON.parse(JSON.stringify(config)) as never,
    job_ids: numbers.length === 0 ? undefined : Array.from(numbers, (number) => jobs[number] as number),
    persistent: spec.persistent ?? false,
  };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
