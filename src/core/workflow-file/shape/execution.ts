import { standardExecution } from '../../attempt/execution.ts';
import { stdio } from './job.ts';
import { booleanShape, choiceShape, integerShape, map, may, object, old, open, stringShape } from './shape.ts';

export const executionConfig = object('ExecutionConfig', {
  mode: may(
    choiceShape(['direct', 'slurm', 'auto']),
    'How jobs start: direct starts processes on the node, and is the default inside an allocation too; slurm starts steps with srun; auto is slurm inside an allocation and direct elsewhere.',
    { standard: 'direct', example: 'direct' },
  ),
  limit_resources: may(booleanShape, 'End jobs that use more memory than they asked for. Direct mode.', {
    standard: true,
    example: false,
  }),
  limit_cpus: may(
    booleanShape,
    'Give jobs no more CPU time than they asked for, however many threads they have. Direct mode, where control groups can be made.',
    { standard: false, example: true },
  ),
  hide_gpus: may(
    booleanShape,
    'Let a job that asked for no GPU see none: CUDA_VISIBLE_DEVICES and the like are empty. Direct mode; a step of Slurm sees none.',
    { standard: false, example: true },
  ),
  termination_signal: may(stringShape, 'The signal that asks a job to end. Direct mode.', {
    standard: standardExecution.termination_signal,
    example: 'SIGINT',
  }),
  sigterm_lead_seconds: may(integerShape, 'Time between that signal and SIGKILL. Direct mode.', {
    unit: 'seconds',
    standard: standardExecution.sigterm_lead_seconds,
    example: 120,
  }),
  sigkill_headroom_seconds: may(integerShape, 'Time between SIGKILL and the end of the allocation.', {
    unit: 'seconds',
    standard: standardExecution.sigkill_headroom_seconds,
    example: 90,
  }),
  timeout_exit_code: may(integerShape, 'Return code of a job that Torc ended at its time limit, 1 to 255.', {
    standard: standardExecution.timeout_exit_code,
    example: 124,
  }),
  oom_exit_code: may(integerShape, 'Return code of a job that Torc ended at its memory limit, 1 to 255. Direct mode.', {
    standard: standardExecution.oom_exit_code,
    example: 137,
  }),
  srun_termination_signal: may(
    stringShape,
    'The signal that asks jobs to end, and the seconds before the end of their step. Slurm mode.',
    { example: 'TERM@120' },
  ),
  enable_cpu_bind: may(booleanShape, 'Let srun bind processes to CPUs. Slurm mode.', {
    standard: false,
    example: true,
  }),
  srun_mpi: may(stringShape, 'Passed to srun --mpi. Needs an action with start_one_worker_per_node.', {
    example: 'pmix',
  }),
  staggered_start: may(booleanShape, 'Accepted; has no effect in this version.', { example: true }),
  step_batching: may(
    booleanShape,
    'Run the jobs of a node inside one long step, in which Torc starts them, instead of a step for each. For many short jobs. Slurm mode.',
    { standard: false, example: true },
  ),
  timeout: may(
    stringShape,
    'Longest time that a job may run which has no timeout of its own: then it is asked to end, and killed after sigterm_lead_seconds. An ISO 8601 duration.',
    { example: 'PT2H' },
  ),
  timeout_by: may(
    choiceShape(['runtime']),
    'The runtime in the resource_requirements of a job is its timeout. Otherwise it limits nothing.',
    { example: 'runtime' },
  ),
  stale_outputs: may(
    choiceShape(['warn', 'fail']),
    'What becomes of a job that exits with 0 and did not touch an output file that was there before: warn completes it with a cause in its result, fail lets it fail.',
    { standard: 'warn', example: 'fail' },
  ),
  rerun: may(
    choiceShape(['time', 'content']),
    'What makes a job run again for an input: another time or size, or another content. With content, a hash of each input of up to 64 MiB is stored with each attempt; longer files are compared by time and size.',
    { standard: 'time', example: 'content' },
  ),
  pipefail: may(
    booleanShape,
    'Let a command with a pipe fail if any of its commands does, and not only the last one: set -o pipefail of bash before the command of each job.',
    { standard: false, example: true },
  ),
  stdio: may(stdio, 'Output files of all jobs.'),
  job_stdio_overrides: may(map(stdio), 'Output files of single jobs: a map from the name of a job to its settings.', {
    example: { train: { mode: 'combined' } },
  }),
});

const granularity = choiceShape(['summary', 'time_series']);

const jobMonitor = open(
  object('JobMonitorConfig', {
    enabled: may(
      booleanShape,
      'Measure CPU and memory of each job. In direct mode memory limits are enforced only where jobs are measured.',
      { standard: false, example: true },
    ),
    granularity: may(granularity, 'Keep only peaks and averages (summary), or every sample (time_series).', {
      standard: 'summary',
      example: 'time_series',
    }),
  }),
);

const nodeMonitor = open(
  object('ComputeNodeMonitorConfig', {
    enabled: may(booleanShape, 'Measure the whole node.', { standard: false, example: true }),
    granularity: may(granularity, 'Keep only peaks and averages (summary), or every sample (time_series).', {
      standard: 'summary',
      example: 'time_series',
    }),
    cpu: may(booleanShape, 'Measure the CPUs of the node.', { standard: true, example: false }),
    memory: may(booleanShape, 'Measure the memory of the node.', { standard: true, example: false }),
  }),
);

export const resourceMonitor = open(
  object('ResourceMonitorConfig', {
    enabled: old(may(booleanShape, 'Older spelling of jobs.enabled.', { example: true })),
    granularity: old(may(granularity, 'Older spelling of jobs.granularity.', { example: 'time_series' })),
    sample_interval_seconds: may(integerShape, 'Time between two samples.', {
      unit: 'seconds',
      standard: 10,
      example: 5,
    }),
    flush_interval_seconds: may(integerShape, 'Time between two writes of the samples to disk.', {
      unit: 'seconds',
      standard: 300,
      example: 60,
    }),
    generate_plots: may(booleanShape, 'Draw plots when the runner ends.', { standard: false, example: true }),
    sonar: may(
      booleanShape,
      'Write the samples of jobs and their node as Sonar records, too, below the output directory.',
      {
        standard: false,
        example: true,
      },
    ),
    jobs: may(jobMonitor, 'What to measure of jobs.'),
    compute_node: may(nodeMonitor, 'What to measure of the node.'),
  }),
);
