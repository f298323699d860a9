import {
  STANDARD_MAX_ITERATIONS,
  STANDARD_OUTAGE_MINUTES,
  STANDARD_WAIT_SECONDS,
} from '../../contract/standard-settings.ts';
import { file, userData } from './data.ts';
import { executionConfig, resourceMonitor } from './execution.ts';
import { job, type pathOfJob, type stdio } from './job.ts';
import { action, failureHandler } from './reaction.ts';
import { pbsScheduler, resourceRequirements, slurmScheduler } from './resources.ts';
import {
  any,
  booleanShape,
  choiceShape,
  integerShape,
  list,
  map,
  may,
  must,
  notNull,
  object,
  old,
  stringShape,
  type Read,
} from './shape.ts';

const dynamicJobs = object('DynamicJobsConfig', {
  max_iterations: may(
    integerShape,
    'Largest number of times that a job and the jobs it adds may add jobs, 1 or more.',
    {
      standard: STANDARD_MAX_ITERATIONS,
      example: 50,
    },
  ),
});

/** A workflow file. */
export const workflow = object('WorkflowSpec', {
  name: must(stringShape, 'Name of the workflow.', { example: 'my_sweep' }),
  user: may(stringShape, 'Accepted; the workflow belongs to the user who creates it.', { example: 'ada' }),
  description: may(stringShape, 'What the workflow is for.', { example: 'Learning rates for model B' }),
  project: may(stringShape, 'The project that the workflow belongs to.', { example: 'climate' }),
  metadata: may(
    map(any),
    'Any values that you want to keep with the workflow. Fields in its additions are read as if they stood in their own place: for files that Torc 1.0.0 reads, too.',
    { example: { ticket: 42 } },
  ),
  parameters: may(
    map(any),
    'Parameters that jobs, files and user data share. Only entries that name them in use_parameters are expanded.',
    { example: { lr: '[0.1, 0.01]', seed: '1:5' } },
  ),
  use_parameters: may(
    choiceShape(['all']),
    'Addition: with all, each entry without parameters, use_parameters and tables of its own is expanded by the parameters that it names in braces, also in its command.',
    { example: 'all' },
  ),
  parameters_file: may(
    stringShape,
    'A table that jobs, files and user data share. Only entries with use_parameters_file are expanded.',
    { example: 'runs.csv' },
  ),
  variables: notNull(
    may(map(stringShape), 'Constants: {name} is replaced in every text of the file.', {
      example: { data: '/scratch/ada' },
    }),
  ),
  env: may(map(stringShape), 'Environment variables of every job.', { example: { OMP_NUM_THREADS: '1' } }),
  jobs: must(list(job), 'The jobs: command lines with what they need and what they depend on.'),
  files: may(list(file), 'Files that jobs read and write; they make jobs depend on each other.'),
  user_data: may(list(userData), 'Values that jobs read and write; the server stores them.'),
  resource_requirements: may(list(resourceRequirements), 'What jobs need: CPUs, memory, GPUs, time.'),
  failure_handlers: may(list(failureHandler), 'What to do when jobs fail.'),
  slurm_schedulers: may(list(slurmScheduler), 'Slurm allocations in which jobs run.'),
  pbs_schedulers: may(list(pbsScheduler), 'Addition: PBS allocations in which jobs run.'),
  slurm_defaults: may(map(any), 'sbatch options of all allocations: long names without dashes.', {
    example: { 'mail-type': 'FAIL' },
  }),
  execution_config: may(executionConfig, 'How jobs start and end, and where their output goes.'),
  resource_monitor: may(
    resourceMonitor,
    'What to measure while jobs run. Without it jobs are measured in summary mode, every 10 seconds; with it only if it says so with jobs.enabled, sonar or enabled.',
  ),
  limits: may(
    map(integerShape),
    'Addition: how much the jobs of the workflow may hold at a time on all runners together: of jobs, cores, gpus and nodes, and of names in licenses.',
    { example: { matlab: 2, cores: 20 } },
  ),
  actions: may(list(action), 'What to do besides jobs, and when.'),
  use_pending_failed: may(
    booleanShape,
    'A failed job that no rule of its failure handler covers gets the status pending_failed and waits for a decision.',
    { standard: false, example: true },
  ),
  enable_ro_crate: may(booleanShape, 'Record the provenance of files and jobs as an RO-Crate.', {
    standard: false,
    example: true,
  }),
  access_groups: may(list(stringShape), 'Groups whose members may see and change the workflow.', { example: ['lab'] }),
  dynamic_jobs: may(
    dynamicJobs,
    'Limits for jobs that add jobs. Give it, if only as `{}`, where jobs add jobs in allocations: runners and allocations without work wait for them.',
  ),
  compute_node_wait_for_new_jobs_seconds: may(
    integerShape,
    'Time that a runner without work waits for new jobs. With the default, a runner in an allocation leaves after 10 s if no job is left or to come that it could take.',
    {
      unit: 'seconds',
      standard: STANDARD_WAIT_SECONDS,
      example: 300,
    },
  ),
  compute_node_ignore_workflow_completion: may(
    booleanShape,
    'Runners keep their allocation after the workflow is complete.',
    {
      standard: false,
      example: true,
    },
  ),
  compute_node_wait_for_healthy_database_minutes: may(
    integerShape,
    'Time that a runner tries to reach the server before it lets its jobs finish and ends.',
    { unit: 'minutes', standard: STANDARD_OUTAGE_MINUTES, example: 60 },
  ),
  compute_node_expiration_buffer_seconds: old(
    may(integerShape, 'Accepted; has no effect.', { unit: 'seconds', example: 60 }),
  ),
});

export type WorkflowSpec = Read<typeof workflow>;
export type JobSpec = Read<typeof job>;
export type PathSpec = Read<typeof pathOfJob>;
export type FileSpec = Read<typeof file>;
export type UserDataSpec = Read<typeof userData>;
export type ResourceRequirementsSpec = Read<typeof resourceRequirements>;
export type FailureHandlerSpec = Read<typeof failureHandler>;
export type PbsSchedulerSpec = Read<typeof pbsScheduler>;
export type SlurmSchedulerSpec = Read<typeof slurmScheduler> & {
  /** Of an entry of pbs_schedulers. */
  readonly pbs?: Pick<PbsSchedulerSpec, 'project' | 'select' | 'place'>;
};
export type ExecutionConfigSpec = Read<typeof executionConfig>;
export type ActionSpec = Read<typeof action>;
export type StdioSpec = Read<typeof stdio>;
