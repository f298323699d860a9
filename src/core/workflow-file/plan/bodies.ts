import type { NewJob } from '../../contract/job.ts';
import type { ExecutionConfig, ResourceMonitorConfig } from '../../contract/workflow.ts';
import { storedRules } from '../../lifecycle/retry/cause-rules.ts';
import type { Plan, PlannedAction, PlannedJob, SettingName } from './plan.ts';

/** Ids of records, by number in the plan. */
export type IdsOfPlan = Float64Array;

interface Submission {
  readonly user: string;
  readonly submissionDirectory: string | undefined;
  readonly monitorsJobs: boolean;
  /** The absolute path of the workflow file; undefined if there is none. */
  readonly specFile?: string | undefined;
}

/** Ids of the records of a plan, by their numbers in it. */
export interface RecordIds {
  readonly files: IdsOfPlan;
  readonly userData: IdsOfPlan;
  readonly requirements: readonly number[];
  readonly schedulers: readonly number[];
  readonly handlers: readonly number[];
}

/** A job as the API takes it; `earlier` are the ids of its dependencies. */
export function jobBody(job: PlannedJob, workflowId: number, records: RecordIds, earlier: number[]): NewJob {
  const { files, userData, requirements, schedulers, handlers } = records;
  const of = (numbers: Int32Array, ids: IdsOfPlan) =>
    numbers.length === 0 ? undefined : Array.from(numbers, (number) => ids[number] as number);
  const one = (number: number | undefined, ids: readonly number[]) => (number === undefined ? undefined : ids[number]);
  return {
    workflow_id: workflowId,
    name: job.name,
    command: job.command,
    invocation_script: job.invocationScript,
    ...(job.settings as Pick<NewJob, SettingName>),
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

/** Requirements as the API takes them, with the defaults of the file. */
export const requirementsBody = (spec: Plan['resourceRequirements'][number]) => ({
  num_gpus: 0,
  num_nodes: 1,
  runtime: 'PT1H',
  ...spec,
  licenses: spec.licenses as Record<string, number> | undefined,
});

/** A Slurm scheduler as the API takes it, likewise. */
export const schedulerBody = (spec: Plan['slurmSchedulers'][number]) => ({ nodes: 1, walltime: '01:00:00', ...spec });

/** A failure handler as the API takes it. */
export const handlerBody = (handler: Plan['failureHandlers'][number]) => ({
  name: handler.name,
  rules: JSON.stringify(storedRules(handler)),
});

/** The monitoring configuration if the file has none. */
export const MONITORING: ResourceMonitorConfig = {
  sample_interval_seconds: 10,
  flush_interval_seconds: 300,
  generate_plots: false,
  jobs: { enabled: true, granularity: 'summary' },
};

/** The workflow itself as the API takes it. */
export function workflowBody(plan: Plan, { user, submissionDirectory, monitorsJobs, specFile }: Submission) {
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
    limits: workflow.limits as Record<string, number> | undefined,
    access_groups: groups as string[] | undefined,
    resource_monitor_config: (monitor as ResourceMonitorConfig | undefined) ?? (monitorsJobs ? MONITORING : undefined),
    execution_config: plan.executionConfig() as ExecutionConfig | undefined,
    submission_directory: submissionDirectory,
    spec_file: specFile,
  };
}

/** An action as the API takes it. */
export function actionBody(
  plan: Plan,
  { spec, jobs: numbers }: PlannedAction,
  workflowId: number,
  jobs: IdsOfPlan,
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
