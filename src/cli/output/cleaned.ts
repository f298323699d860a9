import { batchWords } from '../../core/allocation/batch-words.ts';
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
const SHOWN = 100;

/** The lines of Torc 1.0.0, and beside them what it does not know. */
export function cleanedText(cleaned: Cleaned, recovered: number, isDryRun: boolean): string {
  const { name: system } = batchWords(cleaned.system);
  const list = [
    [cleaned.slurmJobsFailed, `job(s) from terminated ${system} allocations`],
    [cleaned.pendingAllocationsCleaned, `pending allocation(s) that no longer exist in ${system}`],
    [cleaned.runningJobsFailed, 'job(s) stuck in running with no active compute nodes'],
    [cleaned.computeNodesDeactivated, `compute node(s) deactivated (${system} allocation gone)`],
    [cleaned.activeAllocationsEnded, `active allocation(s) that ended in ${system}`],
    [cleaned.finishedWorkKept, 'job(s) that had ended: the results are kept'],
    [cleaned.jobsRequeued, 'job(s) of requeued allocations that run again as a new attempt'],
    [recovered, 'runner(s) that ended without a report: their jobs run again'],
  ] as const;
  const lines = list.flatMap(([count, what]) => (count === 0 ? [] : [`  - ${count} ${what}`]));
  if (lines.length === 0) return `No orphaned jobs found. Workflow state is in sync with ${system}.`;
  const { failed } = cleaned;
  const jobs = failed.slice(0, SHOWN).map(({ job_id: id, job_name: name, reason, slurm_job_id: slurmId }) => {
    const where = slurmId === undefined ? '' : `Allocation terminated (${system} job ${slurmId}): `;
    return `  - Job ${id} (${name}): ${where}${reason}`;
  });
  const more = failed.length > SHOWN ? [`  and ${failed.length - SHOWN} more`] : [];
  return [
    isDryRun ? 'Would clean up orphaned jobs:' : 'Cleaned up orphaned jobs:',
    ...lines,
    ...(failed.length === 0 ? [] : ['', 'Affected jobs:', ...jobs, ...more]),
    ...(failed.length === 0 || isDryRun ? [] : ['', `Total: ${failed.length} job(s) marked as failed`]),
  ].join('\n');
}
