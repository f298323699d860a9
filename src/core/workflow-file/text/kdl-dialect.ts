import { fileNames, jobFields } from '../../job/fields.ts';

/**
 * The KDL dialect of workflow files: which nodes are read at which level, and as what.
 *
 * The table is Torc's. Other nodes are not read, only warned about, so that a file means the same graph here and there.
 * Two additions: `depends_on_job`, which Torc's own examples use and Torc ignores, is read as `depends_on`; and fields
 * that cannot change the graph (project, metadata …) are read as in the other formats.
 */
export type Take =
  /** The first argument, a string. */
  | 'text'
  | 'integer'
  | 'flag'
  /** All arguments, strings: `labels "a" "b"`. */
  | 'texts'
  | 'integers'
  /** Repeated; the first argument of each, a string, is one item: `depends_on "a"`. */
  | 'each'
  /** Its children are names with one string each: `env { A "1" }`. */
  | 'textMap'
  /** Its children are names with one value of any kind each. */
  | 'freeMap'
  /** The first argument is JSON text. */
  | 'json'
  /** Its children are the fields of another level. */
  | { readonly level: Level }
  /** Repeated; each is one item of a list, with the fields of another level. */
  | { readonly items: Level };

export interface Level {
  /** The word for messages: `job must have a name`. */
  readonly called: string;
  /** The field that the first argument gives; a record must have it. */
  readonly named?: 'name' | 'path';
  /** Fields that may also be written as properties: `file "a" path="b"`. */
  readonly properties?: readonly string[];
  /** Fields without which Torc refuses the node, each with its own message. */
  readonly needed?: readonly string[];
  /** The properties that may stand in place of these. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly nodes: Readonly<Record<string, { readonly take: Take; readonly field?: string; readonly renamed?: true }>>;
}

const fields = <T extends Take>(take: T, ...names: string[]): Record<string, { take: T }> =>
  Object.fromEntries(names.map((name) => [name, { take }]));

const stdio: Level = { called: 'stdio', nodes: { ...fields('text', 'mode'), ...fields('flag', 'delete_on_success') } };

const container: Level = {
  called: 'container',
  nodes: { ...fields('text', 'image', 'runtime'), ...fields('texts', 'binds'), ...fields('flag', 'keep_entrypoint') },
};

/** Maps of texts and of numbers. */
const MAPS: { readonly [kind: string]: Take } = { variables: 'textMap', amounts: 'freeMap' };

/** What a job has under the same name in the service; its name is the argument of the node. */
const own = Object.fromEntries(
  fileNames
    .filter((name) => name !== 'name')
    .map((name) => {
      const { kind } = jobFields[name];
      return [name, { take: MAPS[kind] ?? kind }];
    }),
);

/** `input "raw/a.fastq" name="reads"`. */
const jobPath = (called: string, ...flags: string[]): Level => ({
  called,
  named: 'path',
  properties: ['name', ...flags],
  nodes: { ...fields('text', 'name'), ...fields('flag', ...flags) },
});

/** `output "bam/a.bam" temporary=#true`. */
const FATES = ['temporary', 'protected'];

const job: Level = {
  called: 'job',
  named: 'name',
  nodes: {
    ...own,
    ...fields('text', 'resource_requirements', 'failure_handler', 'scheduler', 'parameter_mode', 'conda', 'module'),
    ...fields('integer', 'max_running'),
    ...fields('texts', 'use_parameters'),
    ...fields('each', 'depends_on', 'depends_on_regexes'),
    depends_on_job: { take: 'each', field: 'depends_on', renamed: true },
    input_file: { take: 'each', field: 'input_files' },
    output_file: { take: 'each', field: 'output_files' },
    ...fields('texts', 'inputs', 'outputs'),
    input: { take: { items: jobPath('input') }, field: 'inputs' },
    output: { take: { items: jobPath('output', ...FATES) }, field: 'outputs' },
    input_user_data: { take: 'each' },
    output_user_data: { take: 'each' },
    ...fields('textMap', 'parameters'),
    stdio: { take: { level: stdio } },
    container: { take: { level: container } },
  },
};

const file: Level = {
  called: 'file',
  named: 'name',
  properties: ['path', 'glob', 'identifier', ...FATES],
  needed: ['path'],
  instead: { path: 'glob' },
  nodes: {
    ...fields('text', 'path', 'glob', 'identifier', 'parameter_mode'),
    ...fields('flag', ...FATES),
    ...fields('texts', 'use_parameters'),
    ...fields('textMap', 'parameters'),
  },
};

const userData: Level = {
  called: 'user_data',
  named: 'name',
  needed: ['data'],
  nodes: { ...fields('flag', 'is_ephemeral'), ...fields('json', 'data') },
};

const resourceRequirements: Level = {
  called: 'resource_requirements',
  named: 'name',
  nodes: {
    ...fields('integer', 'num_cpus', 'num_gpus', 'num_nodes'),
    ...fields('text', 'memory', 'runtime'),
    ...fields('freeMap', 'licenses'),
  },
};

const rule: Level = {
  called: 'rule',
  nodes: {
    ...fields('integers', 'exit_codes'),
    ...fields('flag', 'match_all_exit_codes'),
    ...fields('text', 'recovery_script'),
    ...fields('integer', 'max_retries'),
  },
};

const failureHandler: Level = {
  called: 'failure_handler',
  named: 'name',
  nodes: {
    rule: { take: { items: rule }, field: 'rules' },
    on_oom: {
      take: {
        level: { called: 'on_oom', nodes: { ...fields('text', 'memory', 'max'), ...fields('integer', 'max_retries') } },
      },
    },
    on_timeout: {
      take: {
        level: {
          called: 'on_timeout',
          nodes: { ...fields('text', 'runtime', 'max'), ...fields('integer', 'max_retries') },
        },
      },
    },
    ...fields('text', 'on_node_fail'),
    backoff: {
      take: {
        level: { called: 'backoff', nodes: { ...fields('text', 'initial', 'max'), ...fields('integer', 'factor') } },
      },
    },
  },
};

const slurmScheduler: Level = {
  called: 'slurm_scheduler',
  named: 'name',
  nodes: {
    ...fields('text', 'account', 'partition', 'walltime', 'mem', 'gres', 'qos', 'tmp', 'extra'),
    ...fields('integer', 'nodes', 'ntasks_per_node'),
    ...fields('flag', 'serialize_allocations'),
  },
};

const pbsScheduler: Level = {
  called: 'pbs_scheduler',
  named: 'name',
  nodes: {
    ...fields('text', 'account', 'project', 'queue', 'select', 'place', 'mem', 'walltime', 'extra'),
    ...fields('integer', 'nodes'),
  },
};

const action: Level = {
  called: 'action',
  nodes: {
    ...fields('text', 'trigger_type', 'action_type', 'scheduler', 'scheduler_type'),
    ...fields('integer', 'num_allocations', 'max_parallel_jobs'),
    ...fields('flag', 'start_one_worker_per_node', 'persistent'),
    ...fields('texts', 'jobs'),
    job: { take: 'each', field: 'jobs' },
    job_name_regexes: { take: 'each' },
    command: { take: 'each', field: 'commands' },
  },
};

const monitored: Level = {
  called: 'resource_monitor',
  nodes: { ...fields('flag', 'enabled', 'cpu', 'memory'), ...fields('text', 'granularity') },
};

const resourceMonitor: Level = {
  called: 'resource_monitor',
  nodes: {
    ...fields('flag', 'enabled', 'generate_plots', 'sonar'),
    ...fields('text', 'granularity'),
    ...fields('integer', 'sample_interval_seconds', 'flush_interval_seconds'),
    jobs: { take: { level: monitored } },
    compute_node: { take: { level: monitored } },
  },
};

const executionConfig: Level = {
  called: 'execution_config',
  nodes: {
    ...fields(
      'text',
      'mode',
      'termination_signal',
      'srun_termination_signal',
      'srun_mpi',
      'stale_outputs',
      'rerun',
      'timeout',
      'timeout_by',
    ),
    ...fields(
      'flag',
      'limit_resources',
      'limit_cpus',
      'hide_gpus',
      'enable_cpu_bind',
      'staggered_start',
      'step_batching',
      'pipefail',
    ),
    ...fields('integer', 'sigterm_lead_seconds', 'sigkill_headroom_seconds', 'timeout_exit_code', 'oom_exit_code'),
    stdio: { take: { level: stdio } },
  },
};

export const workflowLevel: Level = {
  called: 'workflow',
  nodes: {
    ...fields('text', 'name', 'user', 'description', 'project', 'use_parameters'),
    ...fields(
      'integer',
      'compute_node_expiration_buffer_seconds',
      'compute_node_wait_for_new_jobs_seconds',
      'compute_node_wait_for_healthy_database_minutes',
    ),
    ...fields('flag', 'compute_node_ignore_workflow_completion', 'use_pending_failed', 'enable_ro_crate'),
    ...fields('texts', 'access_groups'),
    ...fields('textMap', 'parameters', 'variables', 'env'),
    ...fields('freeMap', 'slurm_defaults', 'metadata', 'limits'),
    dynamic_jobs: { take: { level: { called: 'dynamic_jobs', nodes: fields('integer', 'max_iterations') } } },
    job: { take: { items: job }, field: 'jobs' },
    file: { take: { items: file }, field: 'files' },
    user_data: { take: { items: userData } },
    resource_requirements: { take: { items: resourceRequirements } },
    failure_handler: { take: { items: failureHandler }, field: 'failure_handlers' },
    slurm_scheduler: { take: { items: slurmScheduler }, field: 'slurm_schedulers' },
    pbs_scheduler: { take: { items: pbsScheduler }, field: 'pbs_schedulers' },
    action: { take: { items: action }, field: 'actions' },
    resource_monitor: { take: { level: resourceMonitor } },
    execution_config: { take: { level: executionConfig } },
  },
};
