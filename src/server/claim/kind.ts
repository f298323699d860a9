import type { JobKind } from '../../core/lifecycle/obstacles.ts';

/** The properties of a class of jobs that matter for a claim, as stored. */
export interface KindRow {
  scheduler_id: number | null;
  labels: string | null;
  num_cpus: number;
  memory_bytes: number;
  num_gpus: number;
  num_nodes: number;
  runtime_s: number;
}

export const kindOf = (row: KindRow): JobKind => ({
  labels: row.labels === null ? [] : (JSON.parse(row.labels) as string[]),
  schedulerId: row.scheduler_id,
  need: {
    num_cpus: row.num_cpus,
    memory_bytes: row.memory_bytes,
    num_gpus: row.num_gpus,
    num_nodes: row.num_nodes,
    runtime_seconds: row.runtime_s,
  },
});
