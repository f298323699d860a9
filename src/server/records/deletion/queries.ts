import { ENDED } from '../../../core/job/statuses.ts';
import type { Database } from '../../store/database.ts';
import type { JobWindow } from '../../store/rows.ts';
import { LARGEST_PAGE } from '../../store/slice-limits.ts';
import { anyOf } from '../rows/status.ts';

export const deletionQueries = (db: Database) => {
  const all = (table: string) =>
    db.prepare<{ workflowId: number; limit: number }>(`
      delete from ${table} where id in (select id from ${table} where workflow_id = :workflowId limit :limit)`);
  const one = (table: string) => db.prepare<{ id: number }>(`delete from ${table} where id = :id`);
  return {
    all: {
      job: all('job'),
      file: all('file'),
      user_data: all('user_data'),
      result: all('result'),
      event: all('event'),
      compute_node: all('compute_node'),
    },
    one: {
      job: one('job'),
      file: one('file'),
      user_data: one('user_data'),
      result: one('result'),
      event: one('event'),
      compute_node: one('compute_node'),
    },
    forgetResults: db.prepare<JobWindow>(`
      update job set result_id = null
      where workflow_id = :workflowId and id > :after and id <= :upto and result_id is not null`),
    // Dependents of an ended job no longer count it.
    isEnded: db.prepare<{ id: number }, { id: number }>(
      `select id from job where id = :id and status in ${anyOf(ENDED)}`,
    ),
    pageEnd: db.prepare<{ id: number }, { job_id: number }>(`
      select job_id from job_depends_on where depends_on_job_id = :id order by job_id limit 1 offset ${LARGEST_PAGE - 1}`),
    removeDependents: db.prepare<{ id: number; upto: number }>(
      'delete from job_depends_on where depends_on_job_id = :id and job_id <= :upto',
    ),
  };
};

export type DeletionQueries = ReturnType<typeof deletionQueries>;
