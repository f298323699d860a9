import type { ComputeNode } from '../../../core/contract/node.ts';
import { present } from '../present.ts';

export interface ComputeNodeRow {
  id: number;
  workflow_id: number;
  hostname: string;
  pid: number;
  start_time: string;
  end_time: string | null;
  duration_seconds: number | null;
  is_active: number;
  num_cpus: number;
  memory_gb: number;
  num_gpus: number;
  num_nodes: number;
  time_limit: string | null;
  scheduler_config_id: number | null;
  compute_node_type: string;
  scheduler: string | null;
  sample_count: number | null;
  peak_cpu_percent: number | null;
  avg_cpu_percent: number | null;
  peak_memory_bytes: number | null;
  avg_memory_bytes: number | null;
  labels: string | null;
  process: string | null;
}

const parsed = (text: string | null) => (text === null ? undefined : JSON.parse(text));

export const computeNodeOf = (row: ComputeNodeRow): ComputeNode & { id: number } => ({
  ...present(row),
  is_active: row.is_active === 1,
  scheduler: parsed(row.scheduler),
  labels: parsed(row.labels),
  process: parsed(row.process),
});
