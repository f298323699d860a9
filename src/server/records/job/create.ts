import type { NewJob, Job } from '../../../core/contract/job.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Store } from '../store.ts';
import { missingRecord } from '../find.ts';
import { createClasses } from './class.ts';
import { refuseBadJob, storedFields } from './fields.ts';
import { presentFields } from '../present.ts';
import { createReferences } from './references.ts';
import type { WorkSteps } from '../../store/work.ts';
import { checkEdges, createEdgeWriter } from './new-edges.ts';
import type { JobToInsert, NewJobQueries } from './queries.ts';

/** No record has this id: for a workflow whose default requirements were deleted. */
const NONE = 0;
/** Jobs checked or written between two steps: about 1 ms. */
const A_FEW = 64;

/** The class of a job is found, or created, when the whole request was checked. */
type NewRow = Omit<JobToInsert, 'class_id'>;

/** For each job of a request the positions of the earlier ones that it depends on. */
export type Positions = readonly (readonly number[])[];

interface Call {
  readonly workflowId: number;
  readonly given: readonly NewJob[];
  readonly positions?: Positions | undefined;
  /** Called before the first job is written, with the lowest id that it can get. */
  readonly onWrite?: ((firstId: number) => void) | undefined;
}

/**
 * Creates jobs of one workflow, all or none, in the given order.
 *
 * They are uninitialized; dependencies implied by files and user data are added when the workflow is initialized. A job
 * gets the workflow's environment under its own, and the workflow's default requirements if it names none. `positions`
 * are those of the earlier jobs that each depends on. Everything is checked before the first job is written, so that
 * none is refused after that.
 */
export const createJobs = (store: Store, queries: NewJobQueries) => {
  const references = createReferences(store.db);
  const classes = createClasses(store.db);

  return function* ({ workflowId, given, positions = [], onWrite }: Call): WorkSteps<Job[]> {
    const { env, defaultRequirementsId } = workflowDefaults(queries, workflowId);
    const known = references(workflowId);
    const classOf = classes(workflowId);
    const nextId = (queries.lastJobId.get({})?.id ?? 0) + 1;
    const edges = checkEdges(queries, workflowId, nextId);

    const rowOf = (job: NewJob): NewRow => {
      refuseBadJob(job);
      const requirementsId = job.resource_requirements_id ?? defaultRequirementsId;
      const schedulerId = job.scheduler_id || null;
      const handlerId = job.failure_handler_id || null;
      if (requirementsId !== defaultRequirementsId || requirementsId === NONE) known.requirements(requirementsId, job);
      if (schedulerId !== null) known.scheduler(schedulerId, job);
      if (handlerId !== null) known.handler(handlerId, job);
      return {
        workflow_id: workflowId,
        ...storedFields(job, env),
        resource_requirements_id: requirementsId,
        scheduler_id: schedulerId,
        failure_handler_id: handlerId,
      };
    };

    const rows: NewRow[] = [];
    for (const [index, job] of given.entries()) {
      rows.push(rowOf(job));
      yield* edges(job);
      if (index % A_FEW === A_FEW - 1) yield;
    }

    onWrite?.(nextId);
    const ids: number[] = [];
    for (let at = 0; at < rows.length; at += A_FEW) {
      const page = rows.slice(at, at + A_FEW).map((row) => ({
        ...row,
        class_id: classOf(row.resource_requirements_id, row),
      }));
      // One by one: a request may have a hundred thousand, too many for the arguments of a call.
      for (const id of queries.insertJobs(page)) ids.push(id);
      yield;
    }

    const created: Job[] = [];
    const writer = createEdgeWriter(queries, workflowId);
    for (const [index, submitted] of given.entries()) {
      const id = ids[index] as number;
      const job = withPositions(submitted, positions[index] ?? [], ids);
      const { labels, resource_requirements_id } = rows[index] as NewRow;
      yield* writer.addAll(id, job);
      created.push({
        ...presentFields(job),
        id,
        status: 'uninitialized',
        resource_requirements_id,
        ...(labels === null ? {} : { labels: JSON.parse(labels) as string[] }),
      });
      if (index % A_FEW === A_FEW - 1) yield;
    }
    yield* writer.rest();
    return created;
  };
};

export type CreateJobs = ReturnType<typeof createJobs>;

export function refuseDuplicateNames(jobs: readonly NewJob[]): void {
  const seen = new Set<string>();
  for (const { name } of jobs) {
    if (seen.has(name)) throw new Refusal('DUPLICATE', `Duplicate job name '${name}' in bulk create request`, { name });
    seen.add(name);
  }
}

/** Refuses a request whose jobs depend on jobs that are not before them: so there is no circle either. */
export function* refuseBadPositions(jobs: readonly NewJob[], positions: Positions): WorkSteps {
  const refuse = (message: string, facts: object) => {
    throw new Refusal('REFERENCE_UNKNOWN', message, { field: 'depends_on_positions', ...facts });
  };
  if (positions.length > jobs.length)
    refuse(`depends_on_positions has ${positions.length} lists for ${jobs.length} jobs`, { found: positions.length });
  let looked = 0;
  for (const [index, places] of positions.entries()) {
    looked += places.length + 1;
    if (looked > A_MILLISECOND) {
      looked = 0;
      yield;
    }
    const found = places.find((place) => place < 0 || place >= index);
    if (found === undefined) continue;
    const { name } = jobs[index] as NewJob;
    const allowed = index === 0 ? 'the first job has no job before it' : `expected 0 to ${index - 1}`;
    refuse(`depends_on_positions of job '${name}' names ${found}; ${allowed}`, { found, job: name });
  }
}

/** Positions checked in about this time. */
const A_MILLISECOND = 50_000;

const withPositions = (job: NewJob, places: readonly number[], ids: readonly number[]): NewJob =>
  places.length === 0
    ? job
    : {
        ...job,
        depends_on_job_ids: [...(job.depends_on_job_ids ?? []), ...places.map((place) => ids[place] as number)],
      };

/** The defaults of a workflow for its jobs, from one statement, because every job needs them. */
function workflowDefaults(queries: NewJobQueries, workflowId: number) {
  const { env, requirements_id: id } = queries.jobDefaults.get({ workflowId }) ?? missingRecord('Workflow', workflowId);
  return {
    env: env === null ? undefined : (JSON.parse(env) as Record<string, string>),
    defaultRequirementsId: id ?? NONE,
  };
}
