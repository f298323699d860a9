import { type NewJob, type Job, statusCode, statusOf } from '../../../core/contract/job.ts';
import type { RelationName } from '../../../core/job/fields.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { HELD } from '../../../core/job/statuses.ts';
import { createClasses } from './class.ts';
import { refuseBadJob, storedFields } from './fields.ts';
import { claimedJobOf, jobOf, type JobRow } from '../rows/job.ts';
import { createReferences } from './references.ts';
import type { Store } from '../store.ts';
import type { ChangeJobQueries } from './queries.ts';

type Wanted = { [F in keyof NewJob]?: NewJob[F] | undefined };

const LISTS = ['input_file_ids', 'output_file_ids', 'input_user_data_ids', 'output_user_data_ids'] as const;
/** Fields of a job's definition that never change after its creation. */
const NEVER = ['env', 'failure_handler_id', ...LISTS] as const;

/**
 * Changes a job; fields that are left out keep their value.
 *
 * The fields that claims use (scheduler, requirements, priority, labels) and that starts use may change at any time;
 * name, command and dependencies only while it is uninitialized, because later jobs may depend on them.
 */
export const updateJob = (store: Store, queries: ChangeJobQueries) => {
  const references = createReferences(store.db);
  const classes = createClasses(store.db);
  return (id: number, body: Wanted & Pick<Job, 'name' | 'command'>): Job => {
    const row = store.find.job(id);
    const { workflow_id: workflowId } = row;
    const idsOf = (list: RelationName) => queries.related[list].all({ id }).map((each) => each.id);
    const before = idsOf('depends_on_job_ids');
    refuseFrozen(row, body, before, idsOf);
    const wanted = { ...body, name: body.name, command: body.command };
    refuseBadJob(wanted);
    const known = references(workflowId);
    const requirementsId = body.resource_requirements_id ?? row.resource_requirements_id;
    if (body.resource_requirements_id) known.requirements(requirementsId, wanted);
    const schedulerId = body.scheduler_id ?? row.scheduler_id;
    if (body.scheduler_id) known.scheduler(body.scheduler_id, wanted);
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => isGiven(value)));
    const fields = storedFields({ ...claimedJobOf(row), ...given });
    queries.updateJob.run({
      ...fields,
      id,
      status: body.status === 'disabled' ? statusCode.disabled : row.status,
      scheduler_id: schedulerId || null,
      resource_requirements_id: requirementsId,
      class_id: classes(workflowId)(requirementsId, { ...fields, scheduler_id: schedulerId || null }),
    });
    if (body.status === 'disabled' && row.status !== statusCode.disabled) {
      store.changes.record(workflowId, 'job_status_changed', [
        { job_id: id, job_name: body.name, from: statusOf(row.status), status: 'disabled' },
      ]);
    }
    if (body.depends_on_job_ids && !isSameSet(body.depends_on_job_ids, before)) {
      queries.clearDependsOn.run({ id });
      for (const otherId of new Set(body.depends_on_job_ids)) {
        if (queries.dependOn.run({ id, otherId, workflowId }) === 1) continue;
        throw new Refusal('REFERENCE_UNKNOWN', `depends_on_job_ids names ${otherId}, which is no job of the workflow`, {
          field: 'depends_on_job_ids',
          found: otherId,
        });
      }
      if (queries.isUpstreamOfItself.get({ id }) !== undefined) {
        throw new Refusal('CIRCLE', `depends_on_job_ids of job ${id} makes it wait for itself`, {
          field: 'depends_on_job_ids',
        });
      }
    }
    return jobOf(store.find.job(id));
  };
};

function refuseFrozen(
  row: JobRow,
  body: Wanted,
  dependsOn: readonly number[],
  idsOf: (list: RelationName) => number[],
): void {
  const status = statusOf(row.status);
  const changed = [
    ...(body.name !== undefined && body.name !== row.name ? ['name'] : []),
    ...(body.command !== undefined && body.command !== row.command ? ['command'] : []),
    ...(isGiven(body.status) && body.status !== status ? ['status'] : []),
    ...(isGiven(body.depends_on_job_ids) && !isSameSet(body.depends_on_job_ids, dependsOn)
      ? ['depends_on_job_ids']
      : []),
    ...NEVER.filter((field) => isGiven(body[field]) && !isAsItWas(field, row, body, idsOf)),
  ];
  if (changed.length === 0) return;
  if (status !== 'uninitialized') {
    throw new Refusal(
      'FIELD_IMMUTABLE',
      `Cannot update job ${row.id} when status is '${status}' - most updates are only allowed when status is 'uninitialized'. Only scheduler_id and resource_requirements_id can be updated at any time. Changed fields: [${changed.join(', ')}]`,
      { job_id: row.id, fields: changed },
    );
  }
  const frozen = changed.find((field) => (NEVER as readonly string[]).includes(field));
  if (frozen !== undefined) {
    throw new Refusal('FIELD_IMMUTABLE', `Cannot modify ${frozen} - this field is immutable after job creation`, {
      field: frozen,
    });
  }
  if (changed.includes('status') && body.status !== 'disabled') {
    throw new Refusal(
      'FIELD_IMMUTABLE',
      'Cannot update job status - this field is immutable after job creation (except to Disabled)',
      { field: 'status' },
    );
  }
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

/** Given, but unchanged: a client may send back what it received. */
function isAsItWas(
  field: (typeof NEVER)[number],
  row: JobRow,
  body: Wanted,
  idsOf: (list: RelationName) => number[],
): boolean {
  if (field === 'env') return JSON.stringify(body.env) === (row.env ?? '{}');
  if (field === 'failure_handler_id') return (body.failure_handler_id || null) === row.failure_handler_id;
  // Some clients send an empty list for no value.
  const given = body[field] ?? [];
  return given.length === 0 || isSameSet(given, idsOf(field));
}

const isSameSet = (left: readonly number[], right: readonly number[]) => {
  const [a, b] = [new Set(left), new Set(right)];
  return a.size === b.size && [...a].every((id) => b.has(id));
};

/** A job that a runner holds is not deleted: the report of its end would have no job. */
export function refuseHeld({ id, status: code }: Pick<JobRow, 'id' | 'status'>): void {
  const status = statusOf(code);
  if (!HELD.has(status)) return;
  throw new Refusal('STATUS_REFUSED', `job ${id} is ${status}: a runner holds it; cancel the workflow first`, {
    job_id: id,
    found: status,
  });
}
