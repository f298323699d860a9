import * as z from 'zod';
import { id, json, maybe, text } from './shape.ts';

/**
 * The process that a runner is, told so that another runner on the same host can prove it gone.
 *
 * A process id alone may have been given to somebody else; with the time of its start, the boot and the namespace in which
 * it was counted it names one process. `mark` stands in the environment of its jobs, as TORC_RUNNER_MARK. `ledger` is the
 * path of its file of starts. `machine_id` and `hardware_ids` (hashes of /etc/machine-id and of addresses of network
 * devices) tell a reboot from another machine of the same name. `slurm_job_id` is the allocation that it runs in, empty
 * for none: what its jobs started in another is not ended with them. `max_parallel_jobs` and `strict_scheduler_match` say how it claims, for those who ask why a
 * job waits.
 */
export const RunnerProcess = z.object({
  boot_id: text,
  pid_namespace: text,
  start_ticks: z.int(),
  mark: text,
  ledger: text,
  machine_id: maybe(text),
  hardware_ids: maybe(z.array(text)),
  slurm_job_id: maybe(text),
  max_parallel_jobs: maybe(z.int()),
  strict_scheduler_match: maybe(z.boolean()),
});
export type RunnerProcess = z.output<typeof RunnerProcess>;

/** A runner registered for a workflow. */
export const ComputeNode = z.object({
  id: maybe(id),
  workflow_id: id,
  hostname: text,
  pid: z.int(),
  start_time: text,
  end_time: maybe(text),
  duration_seconds: maybe(z.number()),
  is_active: maybe(z.boolean()),
  num_cpus: z.int(),
  memory_gb: z.number(),
  num_gpus: z.int(),
  num_nodes: z.int(),
  time_limit: maybe(text),
  scheduler_config_id: maybe(id),
  compute_node_type: text,
  scheduler: maybe(json),
  sample_count: maybe(z.int()),
  peak_cpu_percent: maybe(z.number()),
  avg_cpu_percent: maybe(z.number()),
  peak_memory_bytes: maybe(z.int()),
  avg_memory_bytes: maybe(z.int()),
  labels: maybe(z.array(text)),
  process: maybe(RunnerProcess),
});
export type ComputeNode = z.output<typeof ComputeNode>;
