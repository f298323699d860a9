import * as z from 'zod';
import { flag, id, integer, json, maybe, number, stored, text } from './shape.ts';

/**
 * The identity of a runner's process. With it, another runner on the same host can prove that this one has ended.
 *
 * The kernel may give a process id to another process. Together with the start time, the boot and the namespace it
 * identifies one process. `mark` is in the environment of its jobs, as TORC_RUNNER_MARK. `ledger` is the path of its
 * ledger. `machine_id` and `hardware_ids` (hashes of /etc/machine-id and of addresses of network devices) distinguish a
 * reboot from another machine of the same name. `slurm_job_id` is the allocation that the runner is in, empty if none:
 * processes that its jobs started in another allocation are not ended with them. `max_parallel_jobs` and
 * `strict_scheduler_match` say how the runner claims; `jobs explain` uses them. `clock_ahead_seconds` is how far the clock of the
 * runner, which its times are by, is ahead of that of the server; negative if it is behind.
 */
export const RunnerProcess = z.object({
  boot_id: text,
  pid_namespace: text,
  start_ticks: integer,
  mark: text,
  ledger: text,
  machine_id: maybe(text),
  hardware_ids: maybe(z.array(text)),
  slurm_job_id: maybe(text),
  max_parallel_jobs: maybe(integer),
  strict_scheduler_match: maybe(flag),
  clock_ahead_seconds: maybe(number),
});
export type RunnerProcess = z.output<typeof RunnerProcess>;

/** A runner registered for a workflow. */
export const NewComputeNode = z.object({
  id: maybe(id),
  workflow_id: id,
  hostname: text,
  pid: integer,
  start_time: text,
  end_time: maybe(text),
  duration_seconds: maybe(number),
  is_active: maybe(flag),
  num_cpus: integer,
  memory_gb: number,
  num_gpus: integer,
  num_nodes: integer,
  time_limit: maybe(text),
  scheduler_config_id: maybe(id),
  compute_node_type: text,
  scheduler: maybe(json),
  sample_count: maybe(integer),
  peak_cpu_percent: maybe(number),
  avg_cpu_percent: maybe(number),
  peak_memory_bytes: maybe(integer),
  avg_memory_bytes: maybe(integer),
  /** addition: what the counters of energy of its processors counted while the runner measured the node. */
  energy_joules: maybe(number),
  /** addition: the CPU time of all processes of the machine in that time. */
  machine_cpu_seconds: maybe(number),
  labels: maybe(z.array(text)),
  process: maybe(RunnerProcess),
});
export type NewComputeNode = z.output<typeof NewComputeNode>;
export const ComputeNode = stored(NewComputeNode);
export type ComputeNode = z.output<typeof ComputeNode>;
