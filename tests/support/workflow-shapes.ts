/**
 * Fifteen shapes of workflows, each with what is to come of it on whichever batch system. `tests/slurm/workflows.test.ts` and
 * `tests/pbs/workflows.test.ts` submit all of them with `torc submit` and read what the jobs wrote.
 */
export interface WorkflowShape {
  /** A sentence of what holds. */
  readonly holds: string;
  readonly jobs: string;
  readonly execution?: string;
  /** Lines of the file beside jobs, requirements and schedulers. */
  readonly more?: string;
  /** What the scheduler asks for, instead of one node. */
  readonly nodes?: number;
  readonly gpus?: number;
  /** Fields of the action that submits at the start: `num_allocations: 2`. */
  readonly action?: string;
  /** The job whose readiness submits an allocation of a second scheduler. */
  readonly later?: string;
  /** The jobs that do not complete, with their status. */
  readonly others?: Readonly<Record<string, string>>;
  /** The lines that jobs wrote into files, in any order. */
  readonly wrote: Readonly<Record<string, readonly string[] | RegExp>>;
}

/** What differs between systems in a workflow file. */
export interface ShapeSystem {
  readonly kind: 'slurm' | 'pbs';
  /** The key of its schedulers in a file, and the fields of one beside its name. */
  readonly schedulers: string;
  /** The mode that starts jobs on all nodes of an allocation; it stands for `MODE` in a shape. */
  readonly mode: string;
  fieldsOf(shape: Pick<WorkflowShape, 'nodes' | 'gpus'>): string;
}

const NEEDS = `resource_requirements:
  - {name: one, num_cpus: 1, memory: 60m, runtime: PT1M}
  - {name: both, num_cpus: 2, memory: 60m, runtime: PT1M}
  - {name: card, num_cpus: 1, num_gpus: 1, memory: 60m, runtime: PT1M}
  - {name: wide, num_cpus: 1, memory: 60m, runtime: PT1M, num_nodes: 2}
`;

/** The text of a shape for a system. Its jobs write into files that begin with its name. */
export function textOfShape(name: string, shape: WorkflowShape, system: ShapeSystem): string {
  const { jobs, execution = '{mode: auto}', more = '', action, later } = shape;
  const schedulers = ['nodes', ...(later === undefined ? [] : ['others'])];
  const actions = [
    ['on_workflow_start', 'nodes', action],
    ...(later === undefined ? [] : [['on_jobs_ready', 'others', `jobs: [${later}]`]]),
  ];
  return `name: ${name}
execution_config: ${execution}
compute_node_wait_for_new_jobs_seconds: 1
${NEEDS}${system.schedulers}:
${schedulers.map((each) => `  - {name: ${each}, walltime: "00:10:00", ${system.fieldsOf(shape)}}\n`).join('')}jobs:
${jobs.replace(/^\n/, '')}
${more}actions:
${actions
  .map(
    ([trigger, scheduler, fields]) =>
      `  - {trigger_type: ${trigger}, action_type: schedule_nodes, scheduler: ${scheduler}, scheduler_type: ${system.kind}${fields === undefined ? '' : `, ${fields}`}}\n`,
  )
  .join('')}`
    .replaceAll('SHAPE', name)
    .replaceAll('MODE', system.mode);
}

export const WORKFLOW_SHAPES: Readonly<Record<string, WorkflowShape>> = {
  single: {
    holds: 'one job runs with its name, its workflow and its attempt in its environment',
    jobs: `  - {name: only, command: "echo $TORC_JOB_NAME $TORC_ATTEMPT_ID >> SHAPE.out", resource_requirements: one}`,
    wrote: { 'single.out': ['only 1'] },
  },
  chain: {
    holds: 'jobs of a chain run one after the other',
    jobs: `
  - {name: first, command: "echo first >> SHAPE.out", resource_requirements: one}
  - {name: second, command: "grep -q first SHAPE.out && echo second >> SHAPE.out", depends_on: [first], resource_requirements: one}
  - {name: third, command: "grep -q second SHAPE.out && echo third >> SHAPE.out", depends_on: [second], resource_requirements: one}`,
    wrote: { 'chain.out': ['first', 'second', 'third'] },
  },
  diamond: {
    holds: 'jobs that are joined by their files run in the order of these',
    jobs: `
  - {name: top, command: "echo 1 > SHAPE.a", output_files: [a], resource_requirements: one}
  - {name: left, command: "sed s/1/2/ SHAPE.a > SHAPE.b", input_files: [a], output_files: [b], resource_requirements: one}
  - {name: right, command: "sed s/1/3/ SHAPE.a > SHAPE.c", input_files: [a], output_files: [c], resource_requirements: one}
  - {name: bottom, command: "cat SHAPE.b SHAPE.c > SHAPE.out", input_files: [b, c], resource_requirements: one}`,
    more: `files:
  - {name: a, path: SHAPE.a}
  - {name: b, path: SHAPE.b}
  - {name: c, path: SHAPE.c}
`,
    wrote: { 'diamond.out': ['2', '3'] },
  },
  sweep: {
    holds: 'a sweep over two parameters runs each pair once, and what joins them when all are done',
    jobs: `
  - {name: "part_{i}_{j}", parameters: {i: "1:3", j: "[a, b]"}, command: "echo {i}{j} >> SHAPE.out", resource_requirements: one}
  - {name: join, command: "wc -l < SHAPE.out > SHAPE.count", depends_on_regexes: ["part_.*"], resource_requirements: one}`,
    wrote: { 'sweep.out': ['1a', '1b', '2a', '2b', '3a', '3b'], 'sweep.count': ['6'] },
  },
  failure: {
    holds: 'what depends on a job that fails is canceled, and the rest completes',
    jobs: `
  - {name: bad, command: "echo bad >> SHAPE.out; exit 3", resource_requirements: one}
  - {name: after, command: "echo after >> SHAPE.out", depends_on: [bad], cancel_on_blocking_job_failure: true, resource_requirements: one}
  - {name: beside, command: "echo beside >> SHAPE.out", resource_requirements: one}`,
    others: { bad: 'failed', after: 'canceled' },
    wrote: { 'failure.out': ['bad', 'beside'] },
  },
  retry: {
    holds: 'a job runs again by the rule for its exit code, as a new attempt',
    jobs: `  - {name: again, command: "echo $TORC_ATTEMPT_ID >> SHAPE.out; [ $TORC_ATTEMPT_ID = 2 ] || exit 7", failure_handler: codes, resource_requirements: one}`,
    more: `failure_handlers: [{name: codes, rules: [{exit_codes: [7], max_retries: 2}]}]
`,
    wrote: { 'retry.out': ['1', '2'] },
  },
  memory: {
    holds: 'a job that takes more memory than it asked for is ended for that, and others go on',
    jobs: `
  - {name: eats, command: "head -c 400m /dev/zero | tail | sleep 60; exit 1", resource_requirements: one}
  - {name: beside, command: "sleep 3; echo beside >> SHAPE.out", resource_requirements: one}`,
    others: { eats: 'failed' },
    wrote: { 'memory.out': ['beside'] },
  },
  timeout: {
    holds: 'a job that has a time limit of its own is ended by it, and may clean up',
    jobs: `  - {name: slow, command: "trap 'echo ended >> SHAPE.out; exit 1' TERM; while :; do sleep 0.1; done", timeout: PT2S, resource_requirements: one}`,
    others: { slow: 'terminated' },
    wrote: { 'timeout.out': ['ended'] },
  },
  limit: {
    holds: 'jobs with a limit of one do not run together',
    jobs: `  - {name: "alone_{i}", parameters: {i: "1:3"}, max_running: 1, command: "flock -n SHAPE.lock sleep 0.3 && echo {i} >> SHAPE.out", resource_requirements: one}`,
    wrote: { 'limit.out': ['1', '2', '3'] },
  },
  wide: {
    holds: 'a job of two nodes starts once, and jobs of one node run on both',
    nodes: 2,
    jobs: `
  - {name: wide, command: "echo wide >> SHAPE.out", resource_requirements: wide}
  - {name: "node_{i}", parameters: {i: "1:2"}, command: "hostname >> SHAPE.hosts; until [ $(wc -l < SHAPE.hosts) = 2 ]; do sleep 0.1; done", depends_on: [wide], resource_requirements: both}`,
    wrote: { 'wide.out': ['wide'], 'wide.hosts': /^(?!(\S+)\n\1\n)\S+\n\S+\n$/ },
  },
  pairs: {
    holds: 'jobs that all need two nodes run, each on both',
    nodes: 2,
    execution: '{mode: MODE}',
    jobs: `  - {name: "pair_{i}", parameters: {i: "1:2"}, command: "echo {i} >> SHAPE.out", resource_requirements: wide}`,
    wrote: { 'pairs.out': ['1', '2'] },
  },
  cards: {
    holds: 'jobs with a GPU each have different ones at a time',
    gpus: 2,
    jobs: `  - {name: "card_{i}", parameters: {i: "1:2"}, command: "echo $TORC_GPU_VISIBLE_DEVICES$SLURM_STEP_GPUS >> SHAPE.out; until [ $(wc -l < SHAPE.out) = 2 ]; do sleep 0.1; done", resource_requirements: card}`,
    wrote: { 'cards.out': /^(?!(\S+)\n\1\n)\S+\n\S+\n$/ },
  },
  workers: {
    holds: 'a runner on each node of an allocation runs jobs on its own',
    nodes: 2,
    action: 'start_one_worker_per_node: true',
    execution: '{mode: direct}',
    jobs: `  - {name: "node_{i}", parameters: {i: "1:2"}, command: "hostname >> SHAPE.hosts; until [ $(wc -l < SHAPE.hosts) = 2 ]; do sleep 0.1; done", resource_requirements: both}`,
    wrote: { 'workers.hosts': /^(?!(\S+)\n\1\n)\S+\n\S+\n$/ },
  },
  ready: {
    holds: 'a runner submits the allocation of jobs that become ready',
    later: 'later',
    jobs: `
  - {name: first, command: "echo first >> SHAPE.out", scheduler: nodes, resource_requirements: one}
  - {name: later, command: "echo later >> SHAPE.out", depends_on: [first], scheduler: others, resource_requirements: one}`,
    wrote: { 'ready.out': ['first', 'later'] },
  },
  allocations: {
    holds: 'two allocations share the jobs, and each job runs once',
    action: 'num_allocations: 2',
    jobs: `  - {name: "shared_{i}", parameters: {i: "1:6"}, command: "echo {i} >> SHAPE.out; sleep 0.5", resource_requirements: both}`,
    wrote: { 'allocations.out': ['1', '2', '3', '4', '5', '6'] },
  },
};
