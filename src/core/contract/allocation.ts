import * as z from 'zod';
import { flag, id, integer, maybe, number, stored, text } from './shape.ts';

/**
 * What was asked for when an allocation was planned: `allocations` in all, and how their runners start. The process that finds the
 * record can submit it.
 */
export const AllocationPlan = z.object({
  allocations: integer,
  start_one_worker_per_node: maybe(flag),
  max_parallel_jobs: maybe(integer),
  job_prefix: maybe(text),
  /** The most allocations of the workflow that wait in the queue, by whatever command; later plans have it too unless they say another. */
  max_queued: maybe(integer),
  /** The action `schedule_nodes` that asked for it. */
  action_id: maybe(id),
  /** The record of the lost allocation that this one replaces. */
  replaces: maybe(id),
});
export type AllocationPlan = z.output<typeof AllocationPlan>;

/**
 * A requested allocation. `scheduler_id` is Slurm's job id, `scheduler_config_id` the row of its scheduler. A task of a job
 * array has the id of the array in `scheduler_id` until it starts.
 */
export const NewScheduledComputeNode = z.object({
  id: maybe(id),
  workflow_id: id,
  scheduler_id: integer,
  scheduler_config_id: id,
  scheduler_type: text,
  status: text,
  /** addition: the job array of Slurm, and the number of the task in it. */
  array_job_id: maybe(integer),
  array_task_id: maybe(integer),
  /** addition: why and how it is submitted. */
  plan: maybe(AllocationPlan),
  /** addition: why it is not submitted yet, if a limit holds it back. */
  held: maybe(text),
});
export type NewScheduledComputeNode = z.output<typeof NewScheduledComputeNode>;
export const ScheduledComputeNode = stored(NewScheduledComputeNode);
export type ScheduledComputeNode = z.output<typeof ScheduledComputeNode>;

/** The resources that a runner on this machine may use. `name` is accepted and not stored, as in Torc 1.0.0. */
export const NewLocalScheduler = z.object({
  id: maybe(id),
  workflow_id: id,
  name: maybe(text),
  memory: maybe(text),
  num_cpus: maybe(integer),
});
export type NewLocalScheduler = z.output<typeof NewLocalScheduler>;
export const LocalScheduler = stored(NewLocalScheduler);
export type LocalScheduler = z.output<typeof LocalScheduler>;

/** A host reached by ssh: `[user@]host[:port]`. */
export const RemoteWorker = z.object({ worker: text, workflow_id: id });
export type RemoteWorker = z.output<typeof RemoteWorker>;

/** What the accounting of Slurm has of the step of an attempt. */
export const SlurmFigures = z.object({
  slurm_job_id: maybe(text),
  max_rss_bytes: maybe(integer),
  max_vm_size_bytes: maybe(integer),
  max_disk_read_bytes: maybe(integer),
  max_disk_write_bytes: maybe(integer),
  ave_cpu_seconds: maybe(number),
  node_list: maybe(text),
  /** addition: the step inside which the runner started the job (`step_batching`); absent if the job was a step itself. */
  slurm_step: maybe(text),
});
export type SlurmFigures = z.output<typeof SlurmFigures>;

/** The accounting data of Slurm for one attempt of a job. */
export const NewSlurmStats = z.object({
  id: maybe(id),
  workflow_id: id,
  job_id: id,
  run_id: integer,
  attempt_id: integer,
  ...SlurmFigures.shape,
});
export type NewSlurmStats = z.output<typeof NewSlurmStats>;
export const SlurmStats = stored(NewSlurmStats);
export type SlurmStats = z.output<typeof SlurmStats>;

/** The allocation in which a job ran. */
export const SlurmJobCorrelation = z.object({ slurm_job_id: text, job_id: id, job_name: text });
export type SlurmJobCorrelation = z.output<typeof SlurmJobCorrelation>;

/** A running job and its compute node. */
export const RunningJob = z.object({
  job_id: id,
  job_name: text,
  compute_node_name: text,
  scheduler_type: text,
  scheduler_job_id: maybe(text),
  start_time: maybe(text),
});
export type RunningJob = z.output<typeof RunningJob>;
