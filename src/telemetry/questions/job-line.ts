import type { JobUseInWindow } from './jobs.ts';

const HOUR = 3600;

const jobText = ({ job, epoch, nodes }: JobUseInWindow): string =>
  epoch === 0 ? `job ${job}` : `group ${job} on ${nodes.join(',')}`;

/** What each report says of a job. */
export const jobLineOf = (job: JobUseInWindow) => ({
  cluster: job.cluster,
  subject: jobText(job),
  user: job.user,
  node: job.nodes.join(','),
  cpuHours: Number(job.cpuSeconds) / HOUR,
  first: job.first,
  last: job.last,
});
