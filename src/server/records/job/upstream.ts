import { anyOf, ENDED, STATUS } from './status.ts';

/** The number of dependencies that a job still waits for, and whether an ended one failed. */
export const upstreamOfJob = `
  select
    coalesce(sum(upstream.status not in ${ENDED}), 0),
    coalesce(max(upstream.status in ${anyOf('canceled', 'terminated')} or (upstream.status = ${STATUS.failed} and coalesce(
      (select result.return_code from result where result.id = upstream.result_id), 1) <> 0)), 0)
  from job_depends_on edge
  join job upstream on upstream.id = edge.depends_on_job_id
  where edge.job_id = job.id`;
