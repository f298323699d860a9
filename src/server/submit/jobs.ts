import type { Job } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Store } from '../store/store.ts';
import { missing } from '../store/find.ts';
import { createClasses } from '../store/job-class.ts';
import { refuseBadJob, storedLabels } from '../store/job-fields.ts';
import { present } from '../store/present.ts';
import { createReferences } from '../store/references.ts';
import type { SubmitQueries } from './queries.ts';

/** No record has this id: of a workflow whose default requirements were deleted. */
const NONE = 0;

type Submitted = Job & { id: number };

/** For each job of a call the places of those before it that it depends on. */
type Positions = readonly (readonly number[])[];

/**
 * Creates jobs of one workflow, all or none, in the given order.
 *
 * They are uninitialized; edges that files and user data imply appear when the workflow is initialised. A job takes the
 * workflow's environment under its own, and the workflow's default requirements if it names none. `positions` are the places of
 * jobs before each that it depends on.
 */
export const createJobs = (store: Store, queries: SubmitQueries) => {
  const references = createReferences(store.db);
  const classes = createClasses(store.db);
  return (workflowId: number, given: readonly Job[], positions: Positions = []): Submitted[] => {
    const { env, defaultRequirementsId } = workflowDefaults(queries, workflowId);
    const known = references(workflowId);
    const classOf = classes(workflowId);

    const rows = given.map((job) => {
      refuseBadJob(job);
      const labels = storedLabels(job);
      const requirementsId = job.resource_requirements_id ?? defaultRequirementsId;
      const schedulerId = job.scheduler_id || null;
      const handlerId = job.failure_handler_id || null;
      if (requirementsId !== defaultRequirementsId || requirementsId === NONE) known.requirements(requirementsId, job);
      if (schedulerId !== null) known.scheduler(schedulerId, job);
      if (handlerId !== null) known.handler(handlerId, job);
      const merged = env === undefined ? (job.env ?? undefined) : { ...env, ...job.env };

      return {
        workflowId,
        name: job.name,
        command: job.command,
        invocationScript: job.invocation_script || null,
        env: merged === undefined || Object.keys(merged).length === 0 ? null : JSON.stringify(merged),
        cancelOnBlockingJobFailure: Number(job.cancel_on_blocking_job_failure ?? true),
        supportsTermination:
          job.supports_termination === undefined || job.supports_termination === null
            ? null
            : Number(job.supports_termination),
        resourceRequirementsId: requirementsId,
        schedulerId,
        failureHandlerId: handlerId,
        priority: job.priority ?? 0,
        labels,
        classId: classOf(requirementsId, schedulerId, labels),
      };
    });
    const ids = queries.insertJobs(rows);
    return given.map((submitted, index) => {
      const id = ids[index] as number;
      refuseOwnBatch(submitted, ids[0] as number);
      const job = withPositions(submitted, positions[index] ?? [], ids);
      const labels = rows[index]?.labels ?? null;
      insertEdges(queries, workflowId, id, job);
      return {
        ...present(job),
        id,
        status: 'uninitialized',
        resource_requirements_id: rows[index]?.resourceRequirementsId,
        ...(labels === null ? {} : { labels: JSON.parse(labels) as string[] }),
      };
    });
  };
};

export function refuseDuplicateNames(jobs: readonly Job[]): void {
  const seen = new Set<string>();
  for (const { name } of jobs) {
    if (seen.has(name)) throw new Refusal('DUPLICATE', `Duplicate job name '${name}' in bulk create request`, { name });
    seen.add(name);
  }
}

/** A call is refused whose jobs depend on what does not stand before them in it: so there is no circle either. */
export function refuseBadPositions(jobs: readonly Job[], positions: Positions): void {
  const refuse = (message: string, facts: object) => {
    throw new Refusal('REFERENCE_UNKNOWN', message, { field: 'depends_on_positions', ...facts });
  };
  if (positions.length > jobs.length)
    refuse(`depends_on_positions has ${positions.length} lists for ${jobs.length} jobs`, { found: positions.length });
  for (const [index, places] of positions.entries()) {
    const found = places.find((place) => place < 0 || place >= index);
    if (found === undefined) continue;
    const { name } = jobs[index] as Job;
    const allowed = index === 0 ? 'the first job has none before it' : `expected 0 to ${index - 1}`;
    refuse(`depends_on_positions of job '${name}' names ${found}; ${allowed}`, { found, job: name });
  }
}

const withPositions = (job: Job, places: readonly number[], ids: readonly number[]): Job =>
  places.length === 0
    ? job
    : {
        ...job,
        depends_on_job_ids: [...(job.depends_on_job_ids ?? []), ...places.map((place) => ids[place] as number)],
      };

/** What a job has that says nothing else: asked for with each, so that one statement tells it all. */
function workflowDefaults(queries: SubmitQueries, workflowId: number) {
  const { env, requirements_id: id } = queries.jobDefaults.get({ workflowId }) ?? missing('Workflow', workflowId);
  return {
    env: env === null ? undefined : (JSON.parse(env) as Record<string, string>),
    defaultRequirementsId: id ?? NONE,
  };
}

/** Ids of the call itself can only be guessed: a job that waited for itself, or two for each other, would never run. */
function refuseOwnBatch({ name, depends_on_job_ids: others }: Job, firstId: number): void {
  const found = others?.find((id) => id >= firstId);
  if (found === undefined) return;
  const message = `depends_on_job_ids of job '${name}' names ${found}, which is not there before this call`;
  throw new Refusal('REFERENCE_UNKNOWN', message, { field: 'depends_on_job_ids', found, job: name });
}

function insertEdges(queries: SubmitQueries, workflowId: number, jobId: number, job: Job): void {
  const lists = [
    ['depends_on_job_ids', queries.dependOn],
    ['input_file_ids', queries.readFile],
    ['output_file_ids', queries.writeFile],
    ['input_user_data_ids', queries.readUserData],
    ['output_user_data_ids', queries.writeUserData],
  ] as const;
  for (const [field, insert] of lists) {
    const ids = job[field];
    if (ids === undefined || ids === null) continue;
    for (const otherId of new Set(ids)) {
      if (insert.run({ jobId, otherId, workflowId }) === 1) continue;
      throw new Refusal(
        'REFERENCE_UNKNOWN',
        `${field} of job '${job.name}' names ${otherId}, which workflow ${workflowId} does not have`,
        { field, found: otherId, job: job.name },
      );
    }
  }
}
