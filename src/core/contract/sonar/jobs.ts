import { objectOf, type ValueOf } from './kinds.ts';

const required = 'refused' as const;

const sacctData = objectOf('SacctData', {
  MinCPU: { kind: 'uint', unit: 's', says: 'Minimum CPU time of all tasks' },
  AllocTRES: { kind: 'string', says: 'Resources allocated to the job or step' },
  AveCPU: { kind: 'uint', unit: 's', says: 'Average CPU time of all tasks' },
  AveDiskRead: { kind: 'uint', unit: 'KB', says: 'Average of the data read by all tasks (the text: bytes)' },
  AveDiskWrite: { kind: 'uint', unit: 'KB', says: 'Average of the data written by all tasks (the text: bytes)' },
  AveRSS: { kind: 'uint', unit: 'KB', says: 'Average resident memory of all tasks' },
  AveVMSize: { kind: 'uint', unit: 'KB', says: 'Average virtual memory of all tasks' },
  ElapsedRaw: { kind: 'uint', unit: 's', says: 'Elapsed time' },
  SystemCPU: { kind: 'uint', unit: 's', says: 'CPU time in the system' },
  UserCPU: { kind: 'uint', unit: 's', says: 'CPU time of the user' },
  MaxRSS: { kind: 'uint', unit: 'KB', says: 'Maximum resident memory of all tasks' },
  MaxVMSize: { kind: 'uint', unit: 'KB', says: 'Maximum virtual memory of all tasks' },
});

const slurmJob = objectOf('SlurmJob', {
  job_id: { kind: 'nonzero', required, says: 'Slurm job id; in an array or heterogeneous job that of the part' },
  job_step: { kind: 'string', says: 'Step: empty for the job itself, else a number, batch or extern' },
  job_name: { kind: 'string', says: 'Name of the job' },
  job_state: { kind: 'nonempty', required, says: 'State of the job, one word in upper case' },
  array_job_id: { kind: 'uint', says: 'Id of the whole array job, if it is part of one' },
  array_task_id: { kind: 'uint', says: 'Index in the array, if array_job_id is not zero' },
  het_job_id: { kind: 'uint', says: 'Id of the whole heterogeneous job, if it is part of one' },
  het_job_offset: { kind: 'uint', says: 'Index in the heterogeneous job, if het_job_id is not zero' },
  user_name: { kind: 'string', says: 'User who runs the job' },
  account: { kind: 'string', says: 'Account of the user' },
  submit_time: { kind: 'timestamp', says: 'When the job was submitted' },
  time_limit: { kind: 'extended', unit: 's', says: 'Time limit of the job (the text: minutes)' },
  partition: { kind: 'string', says: 'Partition to use' },
  reservation: { kind: 'string', says: 'Reservation' },
  nodes: { kind: 'string', list: 1, says: 'Nodes allocated to the job or step' },
  priority: { kind: 'extended', says: 'Priority of the job' },
  distribution: { kind: 'string', says: 'Requested layout' },
  gres_detail: { kind: 'string', list: 1, until: '0.16.0', says: 'Requested generic resources' },
  requested_resources: { kind: 'string', since: '0.16.0', says: 'Requested resources, as Slurm writes them' },
  allocated_resources: { kind: 'string', since: '0.16.0', says: 'Allocated resources, as Slurm writes them' },
  requested_cpus: { kind: 'uint', says: 'Number of requested CPUs' },
  minimum_cpus_per_node: { kind: 'uint', until: '0.16.0', says: 'Least number of CPUs on each node' },
  requested_memory_per_node: { kind: 'uint', unit: 'KB', says: 'Requested memory' },
  requested_node_count: { kind: 'uint', says: 'Number of requested nodes' },
  start_time: { kind: 'timestamp', says: 'When the job started, if it has' },
  suspend_time: { kind: 'uint', unit: 's', says: 'How long the job was suspended' },
  end_time: { kind: 'timestamp', says: 'When the job ended, also by a cancellation, if it has' },
  exit_code: { kind: 'uint', says: 'Exit code of the job, if it has ended' },
  sacct: { kind: sacctData, says: 'Data of sacct alone' },
});

export const jobsAttributes = objectOf('JobsAttributes', {
  time: { kind: 'timestamp', required, says: 'When the data were obtained' },
  cluster: { kind: 'hostname', required: 'known', says: 'Canonical name of the cluster' },
  slurm_jobs: { kind: slurmJob, list: 1, always: true, says: 'A record for each job and for each step' },
});

export type JobsAttributes = ValueOf<typeof jobsAttributes>;
export type SonarSlurmJob = ValueOf<typeof slurmJob>;
export type SacctData = ValueOf<typeof sacctData>;
