import { objectOf, type ValueOf } from './kinds.ts';
import { errorObject } from './shared.ts';

const required = 'refused' as const;

export const sampleProcessGpu = objectOf('SampleProcessGpu', {
  index: { kind: 'uint', always: true, says: 'Local index of the card; may change at boot' },
  uuid: { kind: 'nonempty', required, says: 'UUID of the card' },
  gpu_util: { kind: 'float', unit: '%', says: 'Current utilization of the card by the process' },
  gpu_memory: { kind: 'uint', unit: 'KB', says: 'Current memory of the process on the card' },
  gpu_memory_util: { kind: 'float', unit: '%', says: 'Current share of the memory of the card' },
});

export const sampleProcess = objectOf('SampleProcess', {
  resident_memory: { kind: 'uint', unit: 'KB', says: 'Private resident memory' },
  virtual_memory: { kind: 'uint', unit: 'KB', says: 'Virtual data and stack memory' },
  cmd: { kind: 'string', says: 'The command, not its arguments; a zombie has an annotation at the end' },
  pid: { kind: 'uint', says: 'Process id; 0 for processes that were rolled up' },
  ppid: { kind: 'uint', says: 'Process id of the parent' },
  in_container: { kind: 'bool', since: '0.17.0', says: 'The process runs in a container' },
  num_threads: { kind: 'uint', since: '0.14.0', says: 'Number of threads beyond the first' },
  cpu_avg: { kind: 'float', unit: '% of one core', says: 'Average CPU use over the life of the process' },
  cpu_util: { kind: 'float', unit: '% of one core', says: 'Current CPU use' },
  cpu_time: { kind: 'uint', unit: 's', says: 'CPU time since the process started, with children that ended' },
  data_read: { kind: 'uint', unit: 'KB', since: '0.14.0', says: 'Data read since the process started' },
  data_written: { kind: 'uint', unit: 'KB', since: '0.14.0', says: 'Data written since the process started' },
  data_cancelled: { kind: 'uint', unit: 'KB', since: '0.14.0', says: 'Written data that was discarded' },
  rolledup: { kind: 'int', says: 'Number of additional processes that this record represents' },
  gpus: { kind: sampleProcessGpu, list: 1, says: 'Use of each card by the process' },
});

const sampleJob = objectOf('SampleJob', {
  job: { kind: 'uint', always: true, says: 'Job id: of Slurm, else the process group' },
  user: { kind: 'nonempty', required, says: 'User name; _user_<uid> or _user_unknown where there is none' },
  epoch: { kind: 'uint', says: '0 for jobs of a batch system, else a number that grows with each boot of the node' },
  processes: { kind: sampleProcess, list: 1, always: true, says: 'The processes of the job on this node' },
});

export const sampleGpu = objectOf('SampleGpu', {
  index: { kind: 'uint', always: true, says: 'Local index of the card; may change at boot' },
  uuid: { kind: 'nonempty', required, says: 'UUID of the card' },
  failing: { kind: 'uint', says: 'If not zero, a code of the failure; 1 is a generic failure' },
  fan: { kind: 'uint', unit: '%', says: 'Speed of the primary fan; above 100 on some cards' },
  compute_mode: { kind: 'string', says: 'Compute mode, as the card names it' },
  performance_state: { kind: 'extended', says: 'Performance level, or unset' },
  memory: { kind: 'uint', unit: 'KB', says: 'Memory in use' },
  ce_util: { kind: 'uint', unit: '%', says: 'Use of the compute element' },
  memory_util: { kind: 'uint', unit: '%', says: 'Use of the memory' },
  temperature: { kind: 'int', unit: '°C', says: 'Temperature at the primary sensor; may be negative' },
  power: { kind: 'uint', unit: 'W', says: 'Current power' },
  power_limit: { kind: 'uint', unit: 'W', says: 'Current power limit' },
  ce_clock: { kind: 'uint', unit: 'MHz', says: 'Current clock of the compute element' },
  memory_clock: { kind: 'uint', unit: 'MHz', says: 'Current clock of the memory' },
});

export const sampleDisk = objectOf('SampleDisk', {
  name: { kind: 'nonempty', required, says: 'Name of the device' },
  major: { kind: 'uint', always: true, says: 'Major number of the device' },
  minor: { kind: 'uint', always: true, says: 'Minor number of the device' },
  stats: { kind: 'uint', list: 1, always: true, says: 'The numbers of its line in /proc/diskstats, from the fourth' },
});

export const sampleSystem = objectOf('SampleSystem', {
  boot: { kind: 'timestamp', since: '0.17.0', says: 'When the node was booted' },
  cpus: { kind: 'uint', list: 1, unit: 's', says: 'CPU time of each logical core since boot' },
  gpus: { kind: sampleGpu, list: 1, says: 'State of each card' },
  disks: { kind: sampleDisk, list: 1, since: '0.17.0', says: 'Counters of each disk' },
  used_memory: { kind: 'uint', unit: 'KB', says: 'Main memory in use' },
  load1: { kind: 'float', since: '0.14.0', says: 'Load average over 1 minute' },
  load5: { kind: 'float', since: '0.14.0', says: 'Load average over 5 minutes' },
  load15: { kind: 'float', since: '0.14.0', says: 'Load average over 15 minutes' },
  runnable_entities: { kind: 'uint', since: '0.14.0', says: 'Threads that can run now' },
  existing_entities: { kind: 'uint', since: '0.14.0', says: 'Threads that exist' },
});

export const sampleAttributes = objectOf('SampleAttributes', {
  time: { kind: 'timestamp', required, says: 'When the data were obtained' },
  cluster: { kind: 'hostname', required: 'known', says: 'Canonical name of the cluster' },
  node: { kind: 'hostname', required, says: 'Name of the node as it is known to itself' },
  system: { kind: sampleSystem, says: 'State of the node as a whole' },
  jobs: { kind: sampleJob, list: 1, always: true, says: 'The jobs on the node; empty on an idle node' },
  errors: { kind: errorObject, list: 1, says: 'Errors that cost a part of the data' },
});

export type SampleAttributes = ValueOf<typeof sampleAttributes>;
export type SampleSystem = ValueOf<typeof sampleSystem>;
export type SampleGpu = ValueOf<typeof sampleGpu>;
export type SampleDisk = ValueOf<typeof sampleDisk>;
export type SampleJob = ValueOf<typeof sampleJob>;
export type SampleProcess = ValueOf<typeof sampleProcess>;
export type SampleProcessGpu = ValueOf<typeof sampleProcessGpu>;
