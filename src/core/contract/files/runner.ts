/** The identity of a runner in the names of its files. `scheduler` is the field of its compute node. */
export interface RunnerPlace {
  readonly workflowId: number;
  readonly runId: number;
  readonly hostname: string;
  readonly scheduler: unknown;
}

/** The Slurm task of a runner. */
interface SlurmTask {
  readonly jobId: string;
  readonly nodeId: string;
  readonly pid: string;
}

/**
 * The label that distinguishes the files of runners, spelled as in Torc 1.0.0: `wf7_hnode12_r1` by host and run, and
 * inside Slurm `wf7_sl42_n0_p77` by allocation, node and process.
 */
export function labelOf({ workflowId, runId, hostname, scheduler }: RunnerPlace): string {
  const task = slurmTaskOf(scheduler);
  return task === undefined
    ? `wf${workflowId}_h${hostname}_r${runId}`
    : `wf${workflowId}_sl${task.jobId}_n${task.nodeId}_p${task.pid}`;
}

/** The log of a runner. The names are public: users and tools search for them. */
export function runnerLogOf(outputDir: string, { workflowId, runId, hostname, scheduler }: RunnerPlace): string {
  const task = slurmTaskOf(scheduler);
  return task === undefined
    ? `${outputDir}/job_runner_${hostname}_wf${workflowId}_r${runId}.log`
    : `${outputDir}/job_runner_slurm_wf${workflowId}_sl${task.jobId}_n${task.nodeId}_pid${task.pid}.log`;
}

/** The output of the script of an allocation, with `.o` or `.e` behind it. `slurmJob` is `%j` for sbatch, which puts the id there. */
export const allocationOutputOf = (outputDir: string, workflowId: number, slurmJob: number | string): string =>
  `${outputDir}/slurm_output_wf${workflowId}_sl${slurmJob}`;

/** Undefined outside Slurm. */
export function slurmTaskOf(scheduler: unknown): SlurmTask | undefined {
  if (typeof scheduler !== 'object' || scheduler === null || Array.isArray(scheduler)) return undefined;
  const facts = scheduler as Readonly<Record<string, unknown>>;
  const text = (name: string, otherwise?: string) => {
    const value = facts[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
  };
  const jobId = text('slurm_job_id');
  if (jobId === undefined) return undefined;
  return { jobId, nodeId: text('slurm_node_id', '0') as string, pid: text('slurm_task_pid', '0') as string };
}

/** The folder of metrics files, within the output directory. */
export const METRICS_FOLDER = 'resource_utilization';

/** The metrics file of one runner. */
export const metricsPath = (outputDir: string, label: string): string =>
  `${outputDir}/${METRICS_FOLDER}/resource_metrics_${label}.db`;

/** The ledger of a runner: what it started and what has ended. `mark` is the runner's own. */
export const ledgerPathOf = (
  outputDir: string,
  { workflowId, runId, mark }: { readonly workflowId: number; readonly runId: number; readonly mark: string },
): string => `${outputDir}/job_runner_ledger/wf${workflowId}_r${runId}_${mark}.ledger`;

/** The output directory of a runner, by the path of its ledger. */
export const outputDirOfLedger = (ledgerPath: string): string => ledgerPath.split('/').slice(0, -2).join('/') || '/';
