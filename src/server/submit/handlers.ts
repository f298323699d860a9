import { workflowOfBulk } from '../store/bulk.ts';
import type { Handlers } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { initialize } from './initialize.ts';
import { createJobs, refuseDuplicateNames } from './jobs.ts';
import { submitQueries } from './queries.ts';
import { createRequirements } from './requirements.ts';
import { createAction, createFailureHandler, createSlurmScheduler } from './scheduling.ts';
import { spawnJobs } from './spawn.ts';
import { createTasks } from './task.ts';
import { archiveWorkflow, createWorkflow, deleteWorkflow, updateWorkflow } from './workflow.ts';

export const submitHandlers = (store: Store) => {
  const queries = submitQueries(store.db);
  const jobs = createJobs(store, queries);
  const spawn = spawnJobs(store, queries, jobs);
  const create = createWorkflow(store, queries);
  const update = updateWorkflow(store, queries);
  const remove = deleteWorkflow(store, queries);
  const archive = archiveWorkflow(store, queries);
  const init = initialize(store, queries);
  const tasks = createTasks(store, queries, init);
  const requirements = createRequirements(store, queries);
  const scheduler = createSlurmScheduler(store, queries);
  const handler = createFailureHandler(store, queries);
  const action = createAction(store, queries);

  return {
    createWorkflow: ({ body }) => create(body),
    updateWorkflow: ({ params, body }) => update(params.id, body),
    deleteWorkflow: ({ params }) => remove(params.id),
    archiveWorkflow: ({ params, body }) => archive(params.id, body.is_archived),
    createJob: ({ body }) => jobs(body.workflow_id, [body])[0] ?? body,
    createJobs({ query, body }) {
      const workflowId = workflowOfBulk({ field: 'jobs', one: 'job', many: 'jobs' }, body.jobs);
      refuseDuplicateNames(body.jobs);
      const created = jobs(workflowId, body.jobs);
      return query.reply === 'ids' ? { job_ids: created.map(({ id }) => id) } : { jobs: created };
    },
    spawnJobs: ({ params, body }) => spawn(params.id, body),
    initializeJobs({ params, query: { async: isAsync, ...query } }) {
      if (isAsync === true) return tasks.begin(params.id, query);
      init(params.id, query.only_uninitialized ?? false);
      return { message: 'Initialized job status' };
    },
    getTask: ({ params }) => tasks.read(params.id),
    getActiveTask: ({ params }) => ({ task: tasks.active(params.id) }),
    createResourceRequirements: ({ body }) => requirements(body),
    createSlurmScheduler: ({ body }) => scheduler(body),
    createFailureHandler: ({ body }) => handler(body),
    createWorkflowAction: ({ params, body }) => action(params.id, body),
  } satisfies Partial<Handlers>;
};
