import type { RunnerOptions } from '../options.ts';

/** The folder of the files of what was measured, within the output directory. */
export const METRICS_FOLDER = 'resource_utilization';

/** Who measured: the label in the names of its files. Inside of Slurm a node and a task tell runners apart, elsewhere a host. */
export function metricsLabel(
  workflowId: number,
  runId: number,
  hostname: string,
  scheduler: RunnerOptions['scheduler'],
): string {
  const { slurm_job_id: job, slurm_node_id: node, slurm_task_pid: pid } = scheduler ?? {};
  return job === undefined
    ? `wf${workflowId}_h${hostname}_r${runId}`
    : `wf${workflowId}_sl${job}_n${node ?? 0}_p${pid ?? process.pid}`;
}

/** Where the samples of one runner stand. The name is public: people and tools look for it. */
export const metricsPath = (outputDir: string, label: string): string =>
  `${outputDir}/${METRICS_FOLDER}/resource_metrics_${label}.db`;
