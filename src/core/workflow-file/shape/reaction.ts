import { booleanShape, choiceShape, floatShape, integerShape, list, may, must, object, stringShape } from './shape.ts';

const rule = object('FailureHandlerRuleSpec', {
  exit_codes: may(list(integerShape), 'Exit codes for which the rule applies.', { example: [1, 137] }),
  match_all_exit_codes: may(booleanShape, 'The rule applies to every exit code that no other rule names.', {
    standard: false,
    example: true,
  }),
  recovery_script: may(stringShape, 'A command line that runs before the next attempt; bash runs it.', {
    example: './clean-up.sh',
  }),
  max_retries: may(integerShape, 'Largest number of attempts of the job under this rule.', { standard: 3, example: 2 }),
});

const onOom = object('OnOomSpec', {
  memory: must(stringShape, 'Factor by which the memory is raised, once or until it exceeds what the job used.', {
    example: 'x1.5',
  }),
  max: may(stringShape, 'Largest memory. A job that runs out of memory with it fails.', { example: '64g' }),
  max_retries: may(integerShape, 'Largest number of attempts. Without it: 3, or with max as many as it takes.', {
    example: 5,
  }),
});

const onTimeout = object('OnTimeoutSpec', {
  runtime: must(stringShape, 'Factor by which the runtime is raised, once or until it exceeds what the job used.', {
    example: 'x1.5',
  }),
  max: may(stringShape, 'Longest runtime, an ISO 8601 duration. A job that runs out of time with it fails.', {
    example: 'PT24H',
  }),
  max_retries: may(integerShape, 'Largest number of attempts. Without it: 3, or with max as many as it takes.', {
    example: 5,
  }),
});

const backoff = object('BackoffSpec', {
  initial: must(stringShape, 'Pause before the second attempt, an ISO 8601 duration.', { example: 'PT30S' }),
  factor: may(floatShape, 'Factor by which the pause grows with each attempt.', { standard: 2, example: 3 }),
  max: may(stringShape, 'Longest pause.', { standard: 'PT1H', example: 'PT10M' }),
});

export const failureHandler = object('FailureHandlerSpec', {
  name: must(stringShape, 'Name by which jobs refer to the entry. Unique.', { example: 'retry_twice' }),
  rules: may(
    list(rule),
    'The first rule that names the exit code applies, else the first that matches all. Required unless an on_ field is there.',
  ),
  on_oom: may(onOom, 'A job that is killed for its memory runs again with more. Other jobs keep their requirements.'),
  on_timeout: may(onTimeout, 'A job that is ended because its time is up runs again with a longer runtime.'),
  on_node_fail: may(
    choiceShape(['retry', 'fail']),
    'Whether a job whose node failed, or whose allocation was preempted, runs again. Such attempts count for no max_retries.',
    { standard: 'fail', example: 'retry' },
  ),
  backoff: may(backoff, 'Pause before each further attempt, whatever the cause.'),
});

export const action = object('WorkflowActionSpec', {
  trigger_type: must(
    stringShape,
    'When: on_workflow_start, on_workflow_complete, on_jobs_ready, on_jobs_complete, on_worker_start, on_worker_complete, on_first_failure or on_stuck.',
    { example: 'on_jobs_complete' },
  ),
  action_type: must(stringShape, 'What: run_commands or schedule_nodes.', { example: 'run_commands' }),
  jobs: may(list(stringShape), 'Names of the jobs of on_jobs_ready and on_jobs_complete.', { example: ['prepare'] }),
  job_name_regexes: may(list(stringShape), 'Regular expressions over the names of the jobs of these triggers.', {
    example: ['^train_'],
  }),
  commands: may(list(stringShape), 'For run_commands: command lines that run one after another.', {
    example: ['echo done > done.txt'],
  }),
  scheduler: may(stringShape, 'For schedule_nodes: name of an entry of slurm_schedulers or pbs_schedulers.', {
    example: 'gpu_nodes',
  }),
  scheduler_type: may(stringShape, 'For schedule_nodes: slurm, pbs (an addition) or local.', { example: 'slurm' }),
  num_allocations: may(integerShape, 'For schedule_nodes: number of allocations.', { standard: 1, example: 4 }),
  start_one_worker_per_node: may(booleanShape, 'For schedule_nodes: start a runner on each node of the allocation.', {
    standard: false,
    example: true,
  }),
  max_parallel_jobs: may(integerShape, 'For schedule_nodes: largest number of jobs that a runner runs at a time.', {
    example: 8,
  }),
  persistent: may(booleanShape, 'Every runner carries out the action once. With false only one runner does.', {
    standard: false,
    example: true,
  }),
});
