import type { RunnerOptions } from '../options.ts';

/**
 * What tells a runner's journal apart, as the original spells it: `wf7_hnode12_r1` by host and run, and inside of Slurm
 * `wf7_sl42_n0_p77` by allocation, node and process.
 */
export function labelOf(
  { workflowId, scheduler }: Pick<RunnerOptions, 'workflowId' | 'scheduler'>,
  runId: number,
  hostname: string,
): string {
  if (scheduler?.['slurm_job_id'] === undefined) return `wf${workflowId}_h${hostname}_r${runId}`;
  return `wf${workflowId}_sl${scheduler['slurm_job_id']}_n${scheduler['slurm_node_id']}_p${scheduler['slurm_task_pid']}`;
}
