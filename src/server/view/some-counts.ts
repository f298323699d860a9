import { statusOf } from '../../core/contract/job.ts';
import type { JobStatus } from '../../core/job/job-statuses.ts';

/** Numbers of jobs by status, without statuses that no job has. */
export const someCounts = (
  pairs: Iterable<readonly [code: number, jobs: number]>,
): Partial<Record<JobStatus, number>> =>
  Object.fromEntries([...pairs].filter(([, jobs]) => jobs > 0).map(([code, jobs]) => [statusOf(code), jobs]));
