import type { ComputeNode } from '../../../core/contract/node.ts';

/** An allocation of several nodes, on some of which no runner starts jobs. */
export interface PartlyIdle {
  readonly slurm_job_id: string;
  readonly nodes: number;
  readonly idle_nodes: number;
}

/** Allocations with idle nodes, as the active runners of a workflow report. */
export function partlyIdle(
  runners: readonly Pick<ComputeNode, 'hostname' | 'num_nodes' | 'scheduler'>[],
): PartlyIdle[] {
  const byAllocation = Map.groupBy(runners, ({ scheduler }) => numberIn(scheduler, 'slurm_job_id') ?? 0);
  return [...byAllocation].flatMap(([job, members]) => {
    const nodes = largest(members.map(({ scheduler }) => numberIn(scheduler, 'slurm_num_nodes') ?? 0));
    const spanning = largest(members.map(({ num_nodes: count }) => count ?? 1));
    const used = Math.max(spanning, new Set(members.map(({ hostname }) => hostname)).size);
    return job > 0 && used < nodes ? [{ slurm_job_id: String(job), nodes, idle_nodes: nodes - used }] : [];
  });
}

const largest = (numbers: readonly number[]): number => numbers.reduce((most, each) => Math.max(most, each), 0);

function numberIn(scheduler: unknown, key: string): number | undefined {
  const value = Number((scheduler as Readonly<Record<string, unknown>> | null | undefined)?.[key]);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
