import { type Job, statusCode } from '../../../core/contract/job.ts';
import { labelsOfQuery } from '../../../core/lifecycle/placement/labels.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { countOf, HELD } from '../../../core/job/statuses.ts';
import type { Handlers } from '../../handlers.ts';
import { workflowOfBulk } from '../bulk.ts';
import { listByPath } from '../records.ts';
import { countReply, type Deletions } from '../deletion/deletion.ts';
import type { Store } from '../store.ts';
import { refuseHeld, updateJob } from './change.ts';
import { createCounts } from './counts.ts';
import { createJobs, refuseBadPositions, refuseDuplicateNames } from './create.ts';
import type { Edges } from '../edges/edges.ts';
import { jobListQueries } from './list/queries.ts';
import {
  type BindJobsQueries,
  bindJobsQueries,
  changeJobQueries,
  type NewJobQueries,
  newJobQueries,
  spawnQueries,
} from './queries.ts';
import { type RelationQueries, relationQueries } from './relations/queries.ts';
import { jobOf } from '../rows/job.ts';
import { spawnJobs } from './spawn.ts';
import { createClasses } from './class.ts';
import { createReferences } from './references.ts';
import { inPages } from '../../store/rows.ts';
import type { Work, WorkSteps } from '../../store/work.ts';

export const jobHandlers = (store: Store, deletion: Deletions, edges: Edges) => {
  const { db, find } = store;
  const news = newJobQueries(db);
  const jobs = createJobs(store, news);
  const creation = createCreation(store, news, edges);
  const spawn = spawnJobs(store, { ...spawnQueries(db), insertEdges: news.insertEdges }, jobs);
  const update = updateJob(store, changeJobQueries(db));
  const bind = bindJobRecords(store, bindJobsQueries(db));
  const counts = createCounts(db);
  const queries = jobListQueries(db);
  const between = relationQueries(db);
  const withRelationships = (rows: readonly Job[]): Job[] => related(between.relations, rows);

  return {
    createJob: ({ body }) =>
      creation(body.workflow_id, function* (onWrite) {
        const [created] = yield* jobs({ workflowId: body.workflow_id, given: [body], onWrite });
        return created as Job;
      }),
    createJobs({ query, body: { jobs: given, depends_on_positions: reported } }) {
      const workflowId = workflowOfBulk({ field: 'jobs', one: 'job', many: 'jobs' }, given);
      const positions = reported ?? [];
      return creation(workflowId, function* (onWrite) {
        refuseDuplicateNames(given);
        yield* refuseBadPositions(given, positions);
        const created = yield* jobs({ workflowId, given, positions, onWrite });
        return query.reply === 'ids' ? { job_ids: created.map(({ id }) => id) } : { jobs: created };
      });
    },
    listJobIds({ params: { id } }) {
      find.workflow(id);
      const ids = JSON.parse(queries.jobIds.get({ workflowId: id })?.ids ?? '[]') as number[];
      return { job_ids: ids, count: ids.length };
    },

    listJobs({ query }) {
      const { include_relationships: isWithRelationships, labels, status, ...others } = query;
      find.workflow(query.workflow_id);
      const page = queries.listJobs({
        ...others,
        status: status === undefined ? undefined : statusCode[status],
        labels: labels === undefined ? undefined : JSON.stringify(labelsOfQuery(labels)),
      });
      return isWithRelationships === true ? { ...page, items: withRelationships(page.items) } : page;
    },
    getJob: ({ params }) => withRelationships([jobOf(find.job(params.id))])[0] as Job,
    updateJob: ({ params, body }) => update(params.id, body),
    bindJobs: ({ params, body }) => ({ bound: bind(params.id, body.scheduler_id, body.job_ids) }),
    deleteJob: ({ params: { id } }) =>
      deletion.one(find.job(id).workflow_id, 'job', id, () => {
        const row = find.job(id);
        refuseHeld(row);
        return jobOf(row);
      }),
    deleteJobs: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'job', countReply, () => {
        find.workflow(workflowId);
        const underWay = countOf(counts(workflowId), HELD);
        if (underWay === 0) return;
        throw new Refusal(
          'STATUS_REFUSED',
          `${underWay} jobs of workflow ${workflowId} are pending or running; cancel it first`,
          { jobs: underWay },
        );
      }),
    listJobDependencies: listByPath(find, between.listDependencies),
    listJobFileRelationships: listByPath(find, between.listFileRelationships),
    listJobUserDataRelationships: listByPath(find, between.listUserDataRelationships),
    spawnJobs({ params: { id }, body }) {
      const { workflow_id: workflowId } = find.job(id);
      return creation(workflowId, (onWrite) => spawn(id, body, onWrite));
    },
  } satisfies Partial<Handlers>;
};

/** Jobs with the ids of their dependencies and of the records that they read and write; empty fields are left out. */
function related(relations: RelationQueries['relations'], jobs: readonly Job[]): Job[] {
  const ids = JSON.stringify(jobs.map(({ id }) => id));
  const whole = new Map(jobs.map((job) => [job.id, { ...job }]));
  for (const { field, rows } of relations) {
    for (const { job_id: jobId, id } of rows.all({ jobs: ids })) {
      const job = whole.get(jobId) as Job;
      (job[field] ??= []).push(id);
    }
  }
  return [...whole.values()];
}

/** Binds jobs to a scheduler. Returns how many were bound to another one before, or to none. */
const bindJobRecords = ({ db, find }: Pick<Store, 'db' | 'find'>, queries: BindJobsQueries) => {
  const references = createReferences(db);
  const classes = createClasses(db);
  return (workflowId: number, schedulerId: number, jobIds: readonly number[]): number => {
    find.workflow(workflowId);
    references(workflowId).scheduler(schedulerId, { name: 'of bind_jobs' });
    const classOf = classes(workflowId);
    let bound = 0;
    for (const id of jobIds) {
      const job = queries.bound.get({ id });
      if (job === undefined || job.workflow_id !== workflowId) {
        throw new Refusal('NOT_FOUND', `Job not found with ID: ${id}; no job was bound`, { job_id: id });
      }
      if (job.scheduler_id === schedulerId) continue;
      const classId = classOf(job.resource_requirements_id, { ...job, scheduler_id: schedulerId });
      queries.bind.run({ id, schedulerId, classId });
      bound += 1;
    }
    return bound;
  };
};

/**
 * Work that creates jobs: all or none for the caller.
 *
 * Its jobs are known by the lowest id that one of them can have, because no other request creates jobs in the workflow
 * meanwhile. Jobs that a killed server left are removed at the next start: no client got their ids.
 */
const createCreation = (store: Store, queries: NewJobQueries, edges: Edges) => {
  function* remove(workflowId: number, firstId: number | undefined): WorkSteps {
    if (firstId === undefined) return;
    // First the relationships: all other jobs may depend on one job.
    let page = queries.jobsFrom.all({ workflowId, firstId, after: 0, limit: A_FEW });
    while (page.length > 0) {
      for (const { id } of page) yield* edges.ofJob(id);
      yield;
      page = queries.jobsFrom.all({ workflowId, firstId, after: page.at(-1)?.id ?? 0, limit: A_FEW });
    }
    yield* inPages((limit) => queries.removeJobs.run({ workflowId, firstId, limit }));
  }

  store.works.onRestart('create_jobs', (workflowId, { firstId }: { firstId?: number }): Work<void> => ({
    workflowId,
    kind: 'create_jobs',
    parameters: () => ({ firstId }),
    steps: () => remove(workflowId, firstId),
  }));

  return <Result>(
    workflowId: number,
    steps: (onWrite: (firstId: number) => void) => WorkSteps<Result>,
  ): Work<Result> => {
    let firstId: number | undefined;
    return {
      workflowId,
      kind: 'create_jobs',
      parameters: () => ({ firstId }),
      steps: () =>
        steps((id) => {
          firstId = id;
        }),
      undo: () => remove(workflowId, firstId),
    };
  };
};

/** Jobs removed between two steps. */
const A_FEW = 64;
