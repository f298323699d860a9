import type { Completion } from '../../core/contract/exchange.ts';
import type { InputStamps, OutputTimes } from '../../core/contract/result.ts';
import { type JobStatus, statusCode, statusOf } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { ENDED, REPORTED } from '../../core/job/statuses.ts';
import { statsColumns } from '../records/slurm-stats.ts';
import { columnValuesOf } from '../store/columns.ts';
import type { EndingJob } from './queries.ts';

/** The end of an attempt, with everything that fences it. */
export interface End {
  readonly workflowId: number;
  readonly runId: number;
  readonly jobId: number;
  readonly attemptId: number;
  readonly nodeId: number;
  readonly status: JobStatus;
  readonly returnCode: number;
  readonly execTimeMinutes: number;
  readonly completionTime: string;
  readonly peakMemoryBytes?: number | null | undefined;
  readonly avgMemoryBytes?: number | null | undefined;
  readonly peakCpuPercent?: number | null | undefined;
  readonly avgCpuPercent?: number | null | undefined;
  readonly peakGpuMemoryBytes?: number | null | undefined;
  readonly gpuMemoryBytes?: number | null | undefined;
  readonly avgGpuWatts?: number | null | undefined;
  readonly cause?: string | null | undefined;
  readonly causeCode?: string | null | undefined;
  readonly handlerLimit?: string | null | undefined;
  readonly slurmStats?: Completion['slurm_stats'];
  readonly files?: OutputTimes | null | undefined;
  readonly inputs?: InputStamps | null | undefined;
}

/** Why the end cannot be accepted, if so: the rules for every reporter. */
export function refusalOfEnd(end: End, job: EndingJob | undefined): Refusal | undefined {
  const { jobId, workflowId, status } = end;
  if (job === undefined) return new Refusal('NOT_FOUND', `Job not found with ID: ${jobId}`);
  const refuse = (message: string) => new Refusal('STATUS_REFUSED', message, { job_id: jobId });
  if (job.workflow_id !== workflowId) {
    return refuse(
      `job_id=${jobId} belongs to workflow_id=${job.workflow_id} but batch target is workflow_id=${workflowId}`,
    );
  }
  if (!REPORTED.has(status)) return refuse(`Status '${status}' is not a terminal status for job completion`);
  const current = statusOf(job.status);
  if (ENDED.has(current)) {
    const code = current === 'canceled' ? 'JOB_CANCELED' : 'STATUS_REFUSED';
    return new Refusal(code, `job_id=${jobId} is already complete with status=${current}`, { job_id: jobId });
  }
  if (current === 'pending_failed') return refuse(`job_id=${jobId} is in unexpected status=pending_failed`);
  return undefined;
}

/**
 * Why the end does not belong to the attempt that the runner holds, if so.
 *
 * A runner that was declared lost may still be alive and report: its job has a new attempt by then, or another runner.
 */
export function fenceOff(end: End, job: EndingJob): Refusal | undefined {
  if (job.attempt_id !== end.attemptId) {
    return new Refusal(
      'RUN_SUPERSEDED',
      `job_id=${end.jobId} is at attempt ${job.attempt_id}; attempt ${end.attemptId} is over`,
      { job_id: end.jobId },
    );
  }
  if (job.claimed_by !== end.nodeId) {
    return new Refusal('RUN_SUPERSEDED', `job_id=${end.jobId} is no longer held by compute node ${end.nodeId}`, {
      job_id: end.jobId,
    });
  }
  return undefined;
}

/** The end as a row in the table of results. */
export const resultOfEnd = (end: End) => ({
  jobId: end.jobId,
  workflowId: end.workflowId,
  runId: end.runId,
  attemptId: end.attemptId,
  nodeId: end.nodeId,
  returnCode: end.returnCode,
  minutes: end.execTimeMinutes,
  completionTime: end.completionTime,
  status: statusCode[end.status],
  peakMemory: end.peakMemoryBytes ?? null,
  avgMemory: end.avgMemoryBytes ?? null,
  peakCpu: end.peakCpuPercent ?? null,
  avgCpu: end.avgCpuPercent ?? null,
  peakGpuMemory: end.peakGpuMemoryBytes ?? null,
  gpuMemory: end.gpuMemoryBytes ?? null,
  gpuWatts: end.avgGpuWatts ?? null,
  cause: end.cause ?? null,
  causeCode: end.causeCode ?? null,
  handlerLimit: end.handlerLimit ?? null,
});

/** The end as a row in the table of Slurm's statistics. */
export const statsOfEnd = ({ workflowId, jobId, runId, attemptId, slurmStats }: End) =>
  columnValuesOf(
    { workflow_id: workflowId, job_id: jobId, run_id: runId, attempt_id: attemptId, ...slurmStats },
    statsColumns,
  );

/** The event for the start of an attempt. */
export const startOfEnd = ({ jobId, nodeId, runId }: End, name: string) => ({
  job_id: jobId,
  job_name: name,
  compute_node_id: nodeId,
  run_id: runId,
});
