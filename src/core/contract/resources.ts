import * as z from 'zod';
import { amounts, id, integer, maybe, number, stored, text } from './shape.ts';

/**
 * The requirements of a job. `memory` is text such as "4g", `runtime` an ISO 8601 duration; all fields except
 * `num_nodes` are per node.
 */
export const NewResourceRequirements = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  num_cpus: maybe(integer),
  num_gpus: maybe(integer),
  num_nodes: maybe(integer),
  memory: maybe(text),
  runtime: maybe(text),
  /** addition: what a job with these requirements holds of named limits; licenses of the job itself replace those of the same name. */
  licenses: maybe(amounts),
});
export type NewResourceRequirements = z.output<typeof NewResourceRequirements>;
export const ResourceRequirements = stored(NewResourceRequirements);
export type ResourceRequirements = z.output<typeof ResourceRequirements>;

/** The resources that a runner offers when it claims jobs; CPUs, memory and GPUs are per node. */
export const ComputeNodesResources = z.object({
  id: maybe(id),
  num_cpus: integer,
  memory_gb: number,
  num_gpus: integer,
  num_nodes: integer,
  scheduler_config_id: maybe(id),
  time_limit: maybe(text),
  labels: maybe(z.array(text)),
});
export type ComputeNodesResources = z.output<typeof ComputeNodesResources>;

/** The requirements of ready jobs together: sums, the largest number of nodes and the longest runtime (ISO 8601). */
export const ReadyJobRequirements = z.object({
  num_jobs: integer,
  num_cpus: integer,
  memory_gb: number,
  num_gpus: integer,
  max_num_nodes: integer,
  max_runtime: z.string(),
});
export type ReadyJobRequirements = z.output<typeof ReadyJobRequirements>;
