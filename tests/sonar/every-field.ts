import type {
  ClusterEnvelope,
  JobsEnvelope,
  SampleEnvelope,
  SysinfoEnvelope,
} from '../../src/core/contract/sonar/envelope.ts';
import type { SacctData, SonarSlurmJob } from '../../src/core/contract/sonar/jobs.ts';
import type {
  SampleDisk,
  SampleGpu,
  SampleJob,
  SampleProcess,
  SampleProcessGpu,
  SampleSystem,
} from '../../src/core/contract/sonar/sample.ts';
import type { ErrorRecord, Metadata } from '../../src/core/contract/sonar/shared.ts';
import type { SysinfoGpuCard } from '../../src/core/contract/sonar/sysinfo.ts';

/** One envelope of each kind in which every field has a value other than its default, and no two values are alike. */

const GREATEST = 2n ** 64n - 1n;

const meta: Metadata = {
  producer: 'torc',
  version: '1.2.3',
  format: 7,
  attrs: [{ key: 'filter', value: 'none' }],
};

const error: ErrorRecord = {
  time: '2026-02-28T23:59:59+01:00',
  detail: 'nvidia-smi ended with code 9',
  cluster: 'fox.test',
  node: 'c1-2.fox.test',
};

const card: SysinfoGpuCard = {
  index: 3,
  uuid: 'GPU-0a1b',
  address: '00000000:18:00.0',
  manufacturer: 'NVIDIA',
  model: 'RTX',
  architecture: 'Turing',
  driver: '550.1',
  firmware: '12.4',
  memory: 11_534_336,
  power_limit: 250,
  max_power_limit: 280,
  min_power_limit: 100,
  max_ce_clock: 2100,
  max_memory_clock: 7000,
};

const sysinfo: SysinfoEnvelope = {
  meta,
  data: {
    type: 'sysinfo',
    attributes: {
      time: '2026-03-01T00:00:01+01:00',
      cluster: 'fox.test',
      node: 'c1-2.fox.test',
      os_name: 'Linux',
      os_release: '6.1.0',
      architecture: 'x86_64',
      numa_nodes: 4,
      sockets: 2,
      cores_per_socket: 64,
      threads_per_core: 3,
      cpu_model: 'EPYC 9754',
      memory: 790_000_001,
      topo_svg: 'PHN2Zz48L3N2Zz4=',
      topo_text: 'TWFjaGluZQ==',
      cards: [card, { ...card, index: 0, uuid: 'GPU-2' }],
      distances: [
        [10, 21],
        [22, 11],
      ],
      software: [{ key: 'cuda', name: 'CUDA toolkit', version: '12.4.1' }],
    },
  },
};

const gpu: SampleGpu = {
  index: 3,
  uuid: 'GPU-0a1b',
  failing: 1,
  fan: 101,
  compute_mode: 'Prohibited',
  performance_state: 4,
  memory: 1024,
  ce_util: 95,
  memory_util: 88,
  temperature: -7,
  power: 199,
  power_limit: 251,
  ce_clock: 2000,
  memory_clock: 6999,
};

const disk: SampleDisk = { name: 'nvme0n1', major: 259, minor: 1, stats: [1, 0, 3, GREATEST] };

const processGpu: SampleProcessGpu = {
  index: 3,
  uuid: 'GPU-0a1b',
  gpu_util: 33.5,
  gpu_memory: 2048,
  gpu_memory_util: 12.25,
};

const process: SampleProcess = {
  resident_memory: 4096,
  virtual_memory: 8192,
  cmd: 'a) R 1 (\n"é\u0000',
  pid: GREATEST,
  ppid: 17,
  in_container: true,
  num_threads: 5,
  cpu_avg: 99.5,
  cpu_util: 101.125,
  cpu_time: 2 ** 53 - 1,
  data_read: 11,
  data_written: 12,
  data_cancelled: 13,
  rolledup: 2,
  gpus: [processGpu, { ...processGpu, index: 0, uuid: 'GPU-2' }],
};

const job: SampleJob = {
  job: GREATEST - 1n,
  user: '_user_1000',
  epoch: 2n ** 63n + 5n,
  processes: [process, { pid: 1 }],
};

const system: SampleSystem = {
  boot: '2026-01-01T00:00:00+00:00',
  cpus: [1, 0, GREATEST, 2 ** 40],
  gpus: [gpu, { ...gpu, index: 0, uuid: 'GPU-2' }],
  disks: [disk],
  used_memory: 123_456,
  load1: 1.5,
  load5: 2.25,
  load15: 3.125,
  runnable_entities: 9,
  existing_entities: 1000,
};

export const sample: SampleEnvelope = {
  meta,
  data: {
    type: 'sample',
    attributes: {
      time: '2026-03-01T00:05:00-03:30',
      cluster: 'fox.test',
      node: 'c1-2.fox.test',
      system,
      jobs: [job, { job: 4711, user: 'alice', processes: [{ cmd: 'sleep' }, { cmd: 'sleep' }] }],
      errors: [error],
    },
  },
};

const sacct: SacctData = {
  MinCPU: 1,
  AllocTRES: 'cpu=4,mem=16G,node=1',
  AveCPU: 2,
  AveDiskRead: 3,
  AveDiskWrite: 4,
  AveRSS: 5,
  AveVMSize: 6,
  ElapsedRaw: 7,
  SystemCPU: 8,
  UserCPU: 9,
  MaxRSS: 10,
  MaxVMSize: 11,
};

const slurmJob: SonarSlurmJob = {
  job_id: 1_467_074,
  job_step: 'batch',
  job_name: 'a|b "c"',
  job_state: 'CANCELLED by 1000',
  array_job_id: 1_467_073,
  array_task_id: 1,
  het_job_id: 1_467_921,
  het_job_offset: 2,
  user_name: 'alice',
  account: 'acct1',
  submit_time: '2025-03-09T09:00:00+01:00',
  time_limit: 3602,
  partition: 'normal,accel',
  reservation: 'resv1',
  nodes: ['c1-[1-3,5]-[2-4]', 'bigmem-1'],
  priority: GREATEST,
  distribution: 'Block',
  gres_detail: ['gpu:1'],
  requested_resources: 'cpu=4',
  allocated_resources: 'cpu=4,mem=16G',
  requested_cpus: 4,
  minimum_cpus_per_node: 3,
  requested_memory_per_node: 16_777_216,
  requested_node_count: 2,
  start_time: '2025-03-09T10:00:00+01:00',
  suspend_time: 5,
  end_time: '2025-07-09T10:10:00+02:00',
  exit_code: 9,
  sacct,
};

export const jobs: JobsEnvelope = {
  meta,
  data: {
    type: 'job',
    attributes: {
      time: '2026-03-01T00:10:00+01:00',
      cluster: 'fox.test',
      slurm_jobs: [slurmJob, { job_id: GREATEST, job_state: 'PENDING' }],
    },
  },
};

const cluster: ClusterEnvelope = {
  meta,
  data: {
    type: 'cluster',
    attributes: {
      time: '2026-03-01T00:15:00+01:00',
      cluster: 'fox.test',
      slurm: true,
      partitions: [{ name: 'normal', nodes: ['c1-[1-3]', 'c2'] }],
      nodes: [{ names: ['c1-[1-2]'], states: ['MIXED', 'DRAIN'] }],
    },
  },
};

export const everyField = { sysinfo, sample, job: jobs, cluster } as const;
