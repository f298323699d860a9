import * as z from 'zod';
import { id, maybe } from './shape.ts';

/** What a job needs. `memory` is text such as "4g", `runtime` an ISO 8601 duration; except for `num_nodes` all is per node. */
export const ResourceRequirements = z.object({
  id: maybe(id),
  workflow_id: id,
  name: z.string(),
  num_cpus: maybe(z.int()),
  num_gpus: maybe(z.int()),
  num_nodes: maybe(z.int()),
  memory: maybe(z.string()),
  runtime: maybe(z.string()),
});
export type ResourceRequirements = z.output<typeof ResourceRequirements>;

/** What a runner offers when it asks for jobs; CPUs, memory and GPUs are per node. */
export const ComputeNodesResources = z.object({
  id: maybe(id),
  num_cpus: z.int(),
  memory_gb: z.number(),
  num_gpus: z.int(),
  num_nodes: z.int(),
  scheduler_config_id: maybe(id),
  time_limit: maybe(z.string()),
  labels: maybe(z.array(z.string())),
});
export type ComputeNodesResources = z.output<typeof ComputeNodesResources>;

/** What ready jobs need together: sums, the largest number of nodes and the longest runtime (ISO 8601). */
export const ReadyJobRequirements = z.object({
  num_jobs: z.int(),
  num_cpus: z.int(),
  memory_gb: z.number(),
  num_gpus: z.int(),
  max_num_nodes: z.int(),
  max_runtime: z.string(),
});
export type ReadyJobRequirements = z.output<typeof ReadyJobRequirements>;
