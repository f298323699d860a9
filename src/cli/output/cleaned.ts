import { counted } from '../../core/quantity/count-text.ts';
import type { Cleaned } from '../../operations/orphans/clean.ts';

export const cleanedJson = (cleaned: Cleaned, recovered: number, isDryRun: boolean) => ({
  ...(isDryRun ? { dry_run: true } : {}),
  slurm_jobs_failed: cleaned.slurmJobsFailed,
  pending_allocations_cleaned: cleaned.pendingAllocationsCleaned,
  running_jobs_failed: cleaned.runningJobsFailed,
  compute_nodes_deactivated: cleaned.computeNodesDeactivated,
  active_allocations_ended: cleaned.activeAllocationsEnded,
  jobs_requeued: cleaned.jobsRequeued,
  allocations_requeued: cleaned.allocationsRequeued,
  finished_jobs_kept: cleaned.finishedWorkKept,
  runners_recovered: recovered,
  ...(cleaned.failed.length === 0 ? {} : { failed_job_details: cleaned.failed }),
});

/** Jobs that are shown by name. */
const SHOWN = 10;

export function cleanedText(workflowId: number, cleaned: Cleaned, recovered: number, isDryRun: boolean): string {
  const jobs = cleaned.failed.length;
  const lines = [
    ...(jobs > 0 ? [`${counted(jobs, 'job')} ${isDryRun ? 'would fail' : 'failed'} (return code -128)`] : []),
    ...(cleaned.finishedWorkKept > 0
      ? [`${counted(cleaned.finishedWorkKept, 'job')} had ended: the results are kept`]
      : []),
    ...(cleaned.jobsRequeued > 0
      ? [`${counted(cleaned.jobsRequeued, 'job')} of requeued allocations run again as a new attempt`]
      : []),
    ...(recovered > 0
      ? [`${counted(recovered, 'runner')} of this workflow ended without a report: the jobs run again`]
      : []),
    ...(cleaned.activeAllocationsEnded > 0
      ? [`${counted(cleaned.activeAllocationsEnded, 'active allocation')} ended in Slurm`]
      : []),
    ...(cleaned.pendingAllocationsCleaned > 0
      ? [`${counted(cleaned.pendingAllocationsCleaned, 'pending allocation')} ended or vanished before the start`]
      : []),
    ...(cleaned.computeNodesDeactivated > 0
      ? [
          `${counted(cleaned.computeNodesDeactivated, 'runner')} of ended allocations ${isDryRun ? 'would be' : 'are'} deactivated`,
        ]
      : []),
  ];
  if (lines.length === 0)
    return `Workflow ${workflowId}: all records agree with Slurm and the hosts; nothing to correct`;
  const shown = cleaned.failed
    .slice(0, SHOWN)
    .map(({ job_id: id, job_name: name, reason }) => `  job ${id} (${name}): ${reason}`);
  const more = jobs > SHOWN ? [`  and ${jobs - SHOWN} more`] : [];
  return [
    `${isDryRun ? 'Would correct' : 'Corrected'} workflow ${workflowId}:`,
    ...lines.map((line) => `  ${line}`),
    ...(jobs > 0 ? [`Jobs that ${isDryRun ? 'would fail' : 'failed'}:`, ...shown, ...more] : []),
  ].join('\n');
}
