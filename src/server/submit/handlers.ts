import { Refusal } from '../../core/contract/refusals.ts';
import { workflowOfBulk } from '../store/bulk.ts';
import type { Permissions } from '../store/caller.ts';
import type { Handlers } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { userActions } from '../store/user-action.ts';
import { initialize } from './initialize.ts';
import { createJobs, refuseBadPositions, refuseDuplicateNames } from './jobs.ts';
import { submitQueries } from './queries.ts';
import { createRequirements } from './requirements.ts';
import { createAction, createFailureHandler, createSlurmScheduler } from './scheduling.ts';
import { spawnJobs } from './spawn.ts';
import { createTasks } from './task.ts';
import { archiveWorkflow, createWorkflow, deleteWorkflow, updateWorkflow } from './workflow.ts';

export const submitHandlers = (store: Store, permissions: Permissions) => {
  const queries = submitQueries(store.db);
  const jobs = createJobs(store, queries);
  const spawn = spawnJobs(store, queries, jobs);
  const create = createWorkflow(store, queries);
  const update = updateWorkflow(store, queries);
  const remove = deleteWorkflow(store, queries);
  const archive = archiveWorkflow(store, queries, userActions(store));
  const init = initialize(store, queries);
  const tasks = createTasks(store, queries, init);
  const requirements = createRequirements(store, queries);
  const scheduler = createSlurmScheduler(store, queries);
  const handler = createFailureHandler(store, queries);
  const action = createAction(store, queries);

  return {
    /** Who is logged in owns what he creates, whatever the body says. */
    createWorkflow: ({ body }, { user }) => create(user === undefined ? body : { ...body, user }),
    updateWorkflow({ params: { id }, body }, caller) {
      const isGivenAway = typeof body.user === 'string' && body.user !== store.find.workflow(id).user;
      if (isGivenAway && !permissions.owns(caller, id)) {
        throw new Refusal('FORBIDDEN', `Only its owner may give workflow ${id} to '${body.user}'`, {
          error: 'Forbidden',
          field: 'user',
        });
      }
      return update(id, body);
    },
    deleteWorkflow: ({ params }) => remove(params.id),
    archiveWorkflow: ({ params, body }, caller) => archive(params.id, body.is_archived, caller),
    createJob: ({ body }) => jobs(body.workflow_id, [body])[0] ?? body,
    createJobs({ query, body }) {
      const workflowId = workflowOfBulk({ field: 'jobs', one: 'job', many: 'jobs' }, body.jobs);
      refuseDuplicateNames(body.jobs);
      refuseBadPositions(body.jobs, body.depends_on_positions ?? []);
      const created = jobs(workflowId, body.jobs, body.depends_on_positions ?? []);
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
