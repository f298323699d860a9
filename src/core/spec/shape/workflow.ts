import {
  any,
  boolean,
  choice,
  float,
  integer,
  list,
  map,
  may,
  must,
  notNull,
  object,
  old,
  open,
  string,
  type Read,
} from './shape.ts';

const stdio = object('StdioConfig', {
  mode: may(
    choice(['separate', 'combined', 'no_stdout', 'no_stderr', 'none']),
    'Which files a job writes: .o and .e, one .log, or fewer.',
    'separate',
  ),
  delete_on_success: may(boolean, 'Delete the files of a job that succeeded.', false),
});

const parameters = may(
  map(any),
  'Sweep axes: a range "1:10" or "0:1:0.1", a list "[a, b]" or [a, b], a file "@values.txt", or one value.',
);
const parameterMode = may(string, '"zip" pairs the values; anything else takes every combination.', 'product');
const useParameters = may(list(string), 'Names of workflow parameters to expand by.');
const parametersFile = may(string, 'A CSV, JSON or JSON-lines table: one instance a row, columns are tokens.');
const useParametersFile = may(boolean, "Expand by the workflow's own table.", false);

const job = object('JobSpec', {
  name: must(string, 'Unique after expansion.'),
  command: must(string, 'Run by bash -c.'),
  invocation_script: may(string, 'A wrapper put before the command; it should end with exec "$@".'),
  env: may(map(string), "Environment variables, over the workflow's."),
  priority: may(integer, 'Larger goes first.', 0),
  resource_requirements: may(string, 'Name of the resources it needs.'),
  failure_handler: may(string, 'Name of the rules that apply when it fails.'),
  scheduler: may(string, 'Name of the Slurm scheduler it belongs to.'),
  cancel_on_blocking_job_failure: may(boolean, 'Cancel it when a job it waits for did not succeed.', true),
  supports_termination: may(boolean, 'Accepted, without effect.'),
  depends_on: may(list(string), 'Names of jobs it waits for.'),
  depends_on_regexes: may(list(string), 'Patterns over the names of jobs it waits for.'),
  input_files: may(list(string), 'Names of files it reads; it waits for the jobs that write them.'),
  output_files: may(list(string), 'Names of files it writes.'),
  input_file_regexes: may(list(string), 'Patterns over the names of files it reads.'),
  output_file_regexes: may(list(string), 'Patterns over the names of files it writes.'),
  input_user_data: may(list(string), 'Names of user data it reads; it waits for the jobs that write them.'),
  output_user_data: may(list(string), 'Names of user data it writes.'),
  input_user_data_regexes: may(list(string), 'Patterns over the names of user data it reads.'),
  output_user_data_regexes: may(list(string), 'Patterns over the names of user data it writes.'),
  parameters,
  parameter_mode: parameterMode,
  use_parameters: useParameters,
  parameters_file: parametersFile,
  use_parameters_file: useParametersFile,
  stdio: may(stdio, "Where its output goes, instead of the workflow's setting."),
  labels: may(list(string), 'A runner takes the job only if it carries all of these.'),
});

const file = object('FileSpec', {
  name: must(string, 'Unique after expansion.'),
  path: must(string, 'Where the file is, from the working directory of the jobs.'),
  identifier: may(string, "The file's @id in the provenance record, instead of its path."),
  st_mtime: may(float, 'When it was last changed, in seconds since 1970; looked up when absent.'),
  parameters,
  parameter_mode: parameterMode,
  use_parameters: useParameters,
  parameters_file: parametersFile,
  use_parameters_file: useParametersFile,
});

const userData = object('UserDataSpec', {
  name: may(string, 'Unique after expansion; a record without a name is skipped.'),
  data: may(any, 'Any value.'),
  is_ephemeral: may(boolean, 'Whether it is cleared between runs.', false),
  parameters,
  parameter_mode: parameterMode,
  use_parameters: useParameters,
  parameters_file: parametersFile,
  use_parameters_file: useParametersFile,
});

const resourceRequirements = object('ResourceRequirementsSpec', {
  name: must(string, 'Unique; "default" is reserved.'),
  num_cpus: must(integer, 'CPUs a node, at least 1.'),
  memory: must(string, 'A whole number and k, m, g or t: "512m", "4g".'),
  num_gpus: may(integer, 'GPUs a node.', 0),
  num_nodes: may(integer, 'Nodes a job; more than one reserves whole nodes.', 1),
  runtime: may(string, 'An ISO 8601 duration: "PT30M", "P1DT12H".', 'PT1H'),
});

const failureHandler = object('FailureHandlerSpec', {
  name: must(string, 'Unique.'),
  rules: must(
    list(
      object('FailureHandlerRuleSpec', {
        exit_codes: may(list(integer), 'Exit codes that the rule is for.'),
        match_all_exit_codes: may(boolean, 'Whether it is for every code that no other rule names.', false),
        recovery_script: may(string, 'Run before the job is tried again.'),
        max_retries: may(integer, 'How often at most.', 3),
      }),
    ),
    'The first rule that names the exit code applies.',
  ),
});

const slurmScheduler = object('SlurmSchedulerSpec', {
  name: may(string, 'Unique; a scheduler without a name is skipped.'),
  account: must(string, 'Slurm account.'),
  partition: may(string, 'Slurm partition.'),
  nodes: may(integer, 'Nodes an allocation.', 1),
  walltime: may(string, 'D-HH:MM:SS, HH:MM:SS, MM:SS or whole minutes.', '01:00:00'),
  mem: may(string, 'Memory a node.'),
  gres: may(string, 'Generic resources: "gpu:2".'),
  qos: may(string, 'Quality of service.'),
  ntasks_per_node: may(integer, 'Tasks a node.'),
  tmp: may(string, 'Temporary disk a node.'),
  extra: may(string, 'Further sbatch options, as text.'),
  serialize_allocations: may(boolean, 'Run its allocations one after another.', false),
});

const executionConfig = object('ExecutionConfig', {
  mode: may(choice(['direct', 'slurm', 'auto']), 'How jobs are started.', 'direct'),
  limit_resources: may(boolean, 'End jobs that use more memory than they asked for (direct mode).', true),
  termination_signal: may(string, 'What ends a job first (direct mode).', 'SIGTERM'),
  sigterm_lead_seconds: may(integer, 'Seconds between that signal and SIGKILL (direct mode).', 30),
  sigkill_headroom_seconds: may(integer, 'Seconds before the end of the allocation at which jobs are killed.', 60),
  timeout_exit_code: may(integer, 'Return code of a job that ran out of time.', 152),
  oom_exit_code: may(integer, 'Return code of a job that ran out of memory (direct mode).', 137),
  srun_termination_signal: may(string, 'srun --signal, such as "TERM@120" (slurm mode).'),
  enable_cpu_bind: may(boolean, 'Let srun bind CPUs (slurm mode).', false),
  srun_mpi: may(string, 'srun --mpi, with an action that starts one worker per node.'),
  staggered_start: may(boolean, 'Spread the start of runners.', true),
  stdio: may(stdio, 'Where the output of jobs goes.'),
  job_stdio_overrides: may(map(stdio), 'The same for single jobs, by name.'),
});

const granularity = choice(['summary', 'time_series']);

const resourceMonitor = open(
  object('ResourceMonitorConfig', {
    enabled: old(may(boolean, 'Older spelling of jobs.enabled.')),
    granularity: old(may(granularity, 'Older spelling of jobs.granularity.')),
    sample_interval_seconds: may(integer, 'Seconds between two samples.', 10),
    flush_interval_seconds: may(integer, 'Seconds between two writes to disk.', 300),
    generate_plots: may(boolean, 'Draw plots at the end.', false),
    jobs: may(
      open(
        object('JobMonitorConfig', {
          enabled: may(boolean, 'Watch jobs.', false),
          granularity: may(granularity, 'Peaks and averages only, or every sample.', 'summary'),
        }),
      ),
      'Monitoring of jobs.',
    ),
    compute_node: may(
      open(
        object('ComputeNodeMonitorConfig', {
          enabled: may(boolean, 'Watch the whole node.', false),
          granularity: may(granularity, 'Peaks and averages only, or every sample.', 'summary'),
          cpu: may(boolean, 'Its CPU.', true),
          memory: may(boolean, 'Its memory.', true),
        }),
      ),
      'Monitoring of nodes.',
    ),
  }),
);

const action = object('WorkflowActionSpec', {
  trigger_type: must(
    string,
    'When: on_workflow_start, on_workflow_complete, on_jobs_ready, on_jobs_complete, on_worker_start, on_worker_complete.',
  ),
  action_type: must(string, 'What: run_commands or schedule_nodes.'),
  jobs: may(list(string), 'Names of jobs that the trigger looks at.'),
  job_name_regexes: may(list(string), 'Patterns over the names of jobs that the trigger looks at.'),
  commands: may(list(string), 'For run_commands: run one after another.'),
  scheduler: may(string, 'For schedule_nodes: name of the scheduler.'),
  scheduler_type: may(string, 'For schedule_nodes: slurm or local.'),
  num_allocations: may(integer, 'How many allocations.', 1),
  start_one_worker_per_node: may(boolean, 'A runner on each node of the allocation.', false),
  max_parallel_jobs: may(integer, 'Jobs at a time a runner.'),
  persistent: may(boolean, 'Whether more than one runner may do it.', false),
});

/** A workflow file. */
export const workflow = object('WorkflowSpec', {
  name: must(string, 'Name of the workflow.'),
  user: may(string, 'Accepted; the name of the user who creates it counts.'),
  description: may(string, 'What it is for.'),
  project: may(string, 'What it belongs to.'),
  metadata: may(map(any), 'Anything that is to be kept with it.'),
  parameters: may(map(any), 'Sweep axes that jobs and files take over by use_parameters.'),
  parameters_file: may(string, 'A table that jobs and files take over by use_parameters_file.'),
  variables: notNull(may(map(string), 'Constants: {name} is replaced in every text of the file.')),
  env: may(map(string), 'Environment variables of every job.'),
  jobs: must(list(job), 'What is to be run.'),
  files: may(list(file), 'Files that jobs read and write.'),
  user_data: may(list(userData), 'Values that jobs read and write.'),
  resource_requirements: may(list(resourceRequirements), 'What jobs need.'),
  failure_handlers: may(list(failureHandler), 'What happens when jobs fail.'),
  slurm_schedulers: may(list(slurmScheduler), 'How allocations are asked for.'),
  slurm_defaults: may(map(any), 'sbatch options of all allocations, by their long names without dashes.'),
  execution_config: may(executionConfig, 'How jobs are started, ended and logged.'),
  resource_monitor: may(resourceMonitor, 'What is measured while jobs run.'),
  actions: may(list(action), 'What is done besides jobs, and when.'),
  use_pending_failed: may(boolean, 'A failed job that no rule covers waits for a decision.', false),
  enable_ro_crate: may(boolean, 'Record provenance.', false),
  access_groups: may(list(string), 'Groups whose members may see the workflow.'),
  dynamic_jobs: may(
    object('DynamicJobsConfig', { max_iterations: may(integer, 'How many rounds of new jobs at most.', 1000) }),
    'Jobs that add jobs.',
  ),
  compute_node_wait_for_new_jobs_seconds: may(integer, 'Seconds that an idle runner waits for work.', 90),
  compute_node_ignore_workflow_completion: may(boolean, 'Keep allocations after the workflow is complete.', false),
  compute_node_wait_for_healthy_database_minutes: may(integer, 'Minutes that a runner tries to reach the server.', 20),
  compute_node_expiration_buffer_seconds: old(may(integer, 'Accepted, without effect.')),
});

export type WorkflowSpec = Read<typeof workflow>;
export type JobSpec = Read<typeof job>;
export type FileSpec = Read<typeof file>;
export type UserDataSpec = Read<typeof userData>;
export type ResourceRequirementsSpec = Read<typeof resourceRequirements>;
export type FailureHandlerSpec = Read<typeof failureHandler>;
export type SlurmSchedulerSpec = Read<typeof slurmScheduler>;
export type ExecutionConfigSpec = Read<typeof executionConfig>;
export type ActionSpec = Read<typeof action>;
export type StdioSpec = Read<typeof stdio>;
