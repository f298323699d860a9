import { jobsOfId, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import type { JobState } from '../batch/batch-system.ts';

/** What the two programs said; undefined where one could not be asked. */
export interface Said {
  /** Of squeue, for the whole arrays that were asked for. */
  readonly queued: readonly JobState[] | undefined;
  /** Of sacct. */
  readonly accounted: readonly JobState[] | undefined;
}

/**
 * How these jobs stand: as the controller says, or else the accounting. What neither knows is left out: silence proves
 * nothing.
 *
 * A task that was canceled while it waited is the exception: neither has a row of it. It has ended if the controller
 * answered without it, and one of the two knows its array.
 */
export function statesFrom(wanted: readonly SlurmJob[], { queued, accounted }: Said): Map<SlurmJob, JobState> {
  const states = new Map<SlurmJob, JobState>();
  const [reported, ended] = [byName(queued ?? []), byName(accounted ?? [])];
  const known = new Set(wholeJobs([...reported.values(), ...ended.values()].map(({ jobId }) => jobId)));
  for (const job of wanted) {
    const isTask = typeof job === 'string';
    const isOver =
      isTask && queued !== undefined && !reported.has(job) && wholeJobs([job]).some((array) => known.has(array));
    const found = reported.get(job) ?? ended.get(job);
    // The accounting records tasks that wait together, and later that one of them is gone.
    if (found !== undefined && !(isOver && found.state !== 'ended')) states.set(job, found);
    else if (isOver) states.set(job, { jobId: job, state: 'ended', word: 'CANCELLED' });
  }
  return states;
}

/** By the names of tasks, and by the ids that they got: runners know theirs. */
export function byName<Row extends { readonly jobId: SlurmJob; readonly rawId?: number | undefined }>(
  rows: readonly Row[],
): Map<SlurmJob, Row> {
  const found = new Map<SlurmJob, Row>();
  for (const row of rows) {
    if (row.rawId !== undefined) found.set(row.rawId, row);
    found.set(row.jobId, row);
  }
  return found;
}

/** Which of these jobs sacct has to be asked about, after squeue. */
export const notQueued = (wanted: readonly SlurmJob[], queued: readonly JobState[]): number[] => {
  const reported = byName(queued);
  return wholeJobs(wanted.filter((job) => !reported.has(job) && jobsOfId(String(job)).length > 0));
};
