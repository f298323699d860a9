import type { Database } from '../../src/server/store/database.ts';

/** What must hold in the database at any time, as queries that find where it does not. */
const rules: Readonly<Record<string, string>> = {
  'SQLite finds no damage': "select * from pragma_integrity_check where integrity_check <> 'ok'",
  'references lead to records': 'select * from pragma_foreign_key_check',
  'status counters equal a recount': `
    select workflow_id, status, jobs, (
      select count(*) from job where job.workflow_id = job_count.workflow_id and job.status = job_count.status
    ) as found
    from job_count
    where jobs <> found`,
  'the time that is kept is that of the results, or known to be another': `
    select kept.workflow_id, kept.minutes, found.minutes
    from workflow_time kept
    join (
      select workflow.id, coalesce(sum(result.exec_time_minutes), 0) as minutes
      from workflow
      left join job on job.workflow_id = workflow.id
      left join result on result.id = job.result_id
      group by workflow.id
    ) found on found.id = kept.workflow_id
    where kept.is_stale = 0 and abs(kept.minutes - found.minutes) > 1e-6`,
  'only assigned jobs are held':
    'select id, status, claimed_by from job where claimed_by is not null and status not in (3, 4)',
  'the attempt of an open job is not one that a runner still holds from before': `
    select job.id, job.attempt_id, job.status
    from held_attempt held
    join job on job.id = held.job_id and job.attempt_id = held.attempt_id
    where job.status <= 4`,
  'an action that was not carried out is not claimed': `
    select action.id from workflow_action action
    join action_claim claim on claim.action_id = action.id
    where action.executed = 0`,
  'a running job says where and since when':
    'select id from job where status = 4 and claimed_by is not null and (compute_node_id is null or start_time is null)',
  'no job is released before what it waits for is over': `
    select job.id, job.unmet, count(*) as open
    from job
    join job_depends_on edge on edge.job_id = job.id
    join job upstream on upstream.id = edge.depends_on_job_id
    where job.status = 1 and upstream.status not in (5, 6, 7, 8)
    group by job.id
    having job.unmet < open`,
  'a current result is one of its job': `
    select job.id, job.result_id
    from job
    left join result on result.id = job.result_id and result.job_id = job.id
    where job.result_id is not null and result.id is null`,
  'a result is of the workflow of its job': `
    select result.id from result join job on job.id = result.job_id where job.workflow_id <> result.workflow_id`,
  'jobs wait only for jobs of their workflow': `
    select edge.*
    from job_depends_on edge
    join job waits on waits.id = edge.job_id
    join job upstream on upstream.id = edge.depends_on_job_id
    where waits.workflow_id <> upstream.workflow_id or edge.workflow_id <> waits.workflow_id`,
  'jobs read and make only files of their workflow': `
    select edge.*
    from (
      select job_id, file_id, workflow_id from job_input_file
      union all select job_id, file_id, workflow_id from job_output_file
    ) edge
    join job on job.id = edge.job_id
    join file on file.id = edge.file_id
    where job.workflow_id <> file.workflow_id`,
  'jobs read and make only user data of their workflow': `
    select edge.*
    from (select * from job_input_user_data union all select * from job_output_user_data) edge
    join job on job.id = edge.job_id
    join user_data on user_data.id = edge.user_data_id
    where job.workflow_id <> user_data.workflow_id`,
  'a job is in the class of what it needs': `
    select job.id
    from job
    left join job_class class on class.id = job.class_id
    where class.id is null
      or class.workflow_id <> job.workflow_id
      or class.resource_requirements_id <> job.resource_requirements_id
      or coalesce(class.scheduler_id, 0) <> coalesce(job.scheduler_id, 0)
      or coalesce(class.labels, '') <> coalesce(job.labels, '')
      or coalesce(class.licenses, '') <> coalesce(job.licenses, '')`,
  'a job has requirements of its workflow': `
    select job.id
    from job
    left join resource_requirements needs
      on needs.id = job.resource_requirements_id and needs.workflow_id = job.workflow_id
    where needs.id is null`,
  'no job waits for itself, through whomever': `
    with recursive upstream (job_id, id) as (
      select job_id, depends_on_job_id from job_depends_on
      union
      select upstream.job_id, edge.depends_on_job_id
      from upstream
      join job_depends_on edge on edge.job_id = upstream.id
    )
    select job_id from upstream where job_id = id`,
};

export function violations(db: Database): { rule: string; rows: unknown[] }[] {
  return Object.entries(rules)
    .map(([rule, sql]) => ({ rule, rows: db.prepare(sql).all({}) }))
    .filter(({ rows }) => rows.length > 0);
}
