/**
 * A strict reader of Sonar's records, written from what the programs that read them accept: the types and members of
 * Sonar's own reader in strict mode, and the rules of the importer of slurm-monitor. It knows nothing of our own
 * validator, so that both have to be wrong about a record in the same way.
 */

type Kind = 'string' | 'uint' | 'int' | 'float' | 'bool' | readonly [Kind] | { readonly [name: string]: Kind };

const error = { time: 'string', detail: 'string', cluster: 'string', node: 'string' } as const;

const processGpu = {
  index: 'uint',
  uuid: 'string',
  gpu_util: 'float',
  gpu_memory: 'uint',
  gpu_memory_util: 'float',
} as const;

const ATTRIBUTES: Readonly<Record<string, { readonly [name: string]: Kind }>> = {
  sample: {
    time: 'string',
    cluster: 'string',
    node: 'string',
    errors: [error],
    system: {
      boot: 'string',
      cpus: ['uint'],
      used_memory: 'uint',
      load1: 'float',
      load5: 'float',
      load15: 'float',
      runnable_entities: 'uint',
      existing_entities: 'uint',
      disks: [
        {
          name: 'string',
          major: 'uint',
          minor: 'uint',
          stats: ['uint'],
        },
      ],
      gpus: [
        {
          index: 'uint',
          uuid: 'string',
          failing: 'uint',
          fan: 'uint',
          compute_mode: 'string',
          performance_state: 'uint',
          memory: 'uint',
          ce_util: 'uint',
          memory_util: 'uint',
          temperature: 'int',
          power: 'uint',
          power_limit: 'uint',
          ce_clock: 'uint',
          memory_clock: 'uint',
        },
      ],
    },
    jobs: [
      {
        job: 'uint',
        user: 'string',
        epoch: 'uint',
        processes: [
          {
            resident_memory: 'uint',
            virtual_memory: 'uint',
            cmd: 'string',
            pid: 'uint',
            ppid: 'uint',
            in_container: 'bool',
            num_threads: 'uint',
            cpu_avg: 'float',
            cpu_util: 'float',
            cpu_time: 'uint',
            data_read: 'uint',
            data_written: 'uint',
            data_cancelled: 'uint',
            rolledup: 'int',
            gpus: [processGpu],
          },
        ],
      },
    ],
  },
  sysinfo: {
    time: 'string',
    cluster: 'string',
    node: 'string',
    os_name: 'string',
    os_release: 'string',
    architecture: 'string',
    numa_nodes: 'uint',
    sockets: 'uint',
    cores_per_socket: 'uint',
    threads_per_core: 'uint',
    cpu_model: 'string',
    memory: 'uint',
    topo_svg: 'string',
    topo_text: 'string',
    distances: [['uint']],
    cards: [
      {
        index: 'uint',
        uuid: 'string',
        address: 'string',
        manufacturer: 'string',
        model: 'string',
        architecture: 'string',
        driver: 'string',
        firmware: 'string',
        memory: 'uint',
        power_limit: 'uint',
        max_power_limit: 'uint',
        min_power_limit: 'uint',
        max_ce_clock: 'uint',
        max_memory_clock: 'uint',
      },
    ],
  },
  job: {
    time: 'string',
    cluster: 'string',
    slurm_jobs: [
      {
        job_id: 'uint',
        job_step: 'string',
        job_name: 'string',
        job_state: 'string',
        array_job_id: 'uint',
        array_task_id: 'uint',
        het_job_id: 'uint',
        het_job_offset: 'uint',
        user_name: 'string',
        account: 'string',
        submit_time: 'string',
        time_limit: 'uint',
        partition: 'string',
        reservation: 'string',
        nodes: ['string'],
        priority: 'uint',
        distribution: 'string',
        requested_resources: 'string',
        allocated_resources: 'string',
        requested_cpus: 'uint',
        requested_memory_per_node: 'uint',
        requested_node_count: 'uint',
        start_time: 'string',
        suspend_time: 'uint',
        end_time: 'string',
        exit_code: 'uint',
        sacct: {
          MinCPU: 'uint',
          AllocTRES: 'string',
          AveCPU: 'uint',
          AveDiskRead: 'uint',
          AveDiskWrite: 'uint',
          AveRSS: 'uint',
          AveVMSize: 'uint',
          ElapsedRaw: 'uint',
          SystemCPU: 'uint',
          UserCPU: 'uint',
          MaxRSS: 'uint',
          MaxVMSize: 'uint',
        },
      },
    ],
  },
  cluster: {
    time: 'string',
    cluster: 'string',
    slurm: 'bool',
    partitions: [
      {
        name: 'string',
        nodes: ['string'],
      },
    ],
    nodes: [
      {
        names: ['string'],
        states: ['string'],
      },
    ],
  },
};

/** Members without which the importer of slurm-monitor refuses a record or a row, by the path to their object. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  sample: ['time', 'node', 'jobs'],
  'sample.jobs': ['job', 'user', 'processes'],
  'sample.jobs.processes.gpus': ['uuid'],
  'sample.system.gpus': ['uuid'],
  sysinfo: ['time', 'node', 'architecture'],
  'sysinfo.cards': ['uuid'],
  job: ['time', 'slurm_jobs'],
  'job.slurm_jobs': ['job_id', 'submit_time'],
  cluster: ['time', 'slurm', 'nodes', 'partitions'],
  'cluster.nodes': ['names', 'states'],
  'cluster.partitions': ['name', 'nodes'],
};

type Json = Readonly<Record<string, unknown>>;

/** What these readers would not accept about one record, in sentences; empty if they accept it. */
export function refusalsOf(envelope: unknown): string[] {
  const found: string[] = [];
  const { meta, data, errors, ...more } = envelope as Json;
  if (Object.keys(more).length > 0) found.push(`unknown members: ${Object.keys(more).join(', ')}`);
  if (Object.keys((meta ?? {}) as Json).join() !== 'producer,version') found.push('meta is not producer and version');
  if ((data === undefined) === (errors === undefined)) found.push('neither or both of data and errors');
  if (errors !== undefined) check([error], errors, 'errors', found);
  if (data === undefined) return found;
  const { type, attributes, ...others } = data as Json;
  if (Object.keys(others).length > 0) found.push('data has more than type and attributes');
  const shape = ATTRIBUTES[String(type)];
  if (shape === undefined) return [...found, `unknown type ${String(type)}`];
  check(shape, attributes, String(type), found);
  return found;
}

function check(kind: Kind, value: unknown, path: string, found: string[]): void {
  if (Array.isArray(kind)) {
    if (!Array.isArray(value)) found.push(`${path}: no list`);
    else value.forEach((each) => check((kind as readonly [Kind])[0], each, path, found));
  } else if (typeof kind === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return void found.push(`${path}: no object`);
    const { job, epoch } = value as Json;
    if (path === 'sample.jobs' && job === 0 && (epoch ?? 0) === 0) found.push(`${path}: job 0 without an epoch`);
    for (const name of NEEDED[path] ?? []) if (!(name in value)) found.push(`${path}: no ${name}`);
    for (const [name, each] of Object.entries(value)) {
      const expected = (kind as { readonly [name: string]: Kind })[name];
      if (expected === undefined) found.push(`${path}: unknown member ${name}`);
      else check(expected, each, `${path}.${name}`, found);
      // Python before 3.11 reads no Z.
      if (/^(?:time|boot|\w+_time)$/.test(name) && typeof each === 'string' && !TIME.test(each))
        found.push(`${path}.${name}: ${each} is no time`);
    }
  } else if (!isOf(kind as string, value)) found.push(`${path}: ${JSON.stringify(value)} is no ${kind as string}`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

function isOf(kind: string, value: unknown): boolean {
  if (kind === 'string') return typeof value === 'string';
  if (kind === 'bool') return typeof value === 'boolean';
  if (typeof value !== 'number') return false;
  return kind === 'float' || (Number.isSafeInteger(value) && (kind === 'int' || value >= 0));
}
