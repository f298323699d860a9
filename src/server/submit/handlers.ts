import { Refusal } from '../../core/contract/refusals.ts';
import { workflowOfBulk } from '../records/bulk.ts';
import type { Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { userActions } from '../records/event/user-action.ts';
import { createEdges } from '../records/job/edges.ts';
import { mapped, once } from '../store/work.ts';
import { createCreation } from '../records/job/creation.ts';
import { createInitialize } from './initialize/initialize.ts';
import { initializeQueries } from './initialize/queries.ts';
import { createJobs, refuseBadPositions, refuseDuplicateNames } from '../records/job/create.ts';
import { submitQueries } from './queries.ts';
import { removeQueries } from '../records/workflow/remove/queries.ts';
import { createRemoval } from '../records/workflow/remove/remove.ts';
import { createRequirements } from '../records/requirements/create.ts';
import { createAction, createFailureHandler, createSlurmScheduler } from '../records/scheduler/create.ts';
import { spawnJobs } from './spawn.ts';
import { createTasks } from './task.ts';
import { archiveWorkflow, createWorkflow, updateWorkflow } from '../records/workflow/create.ts';

export const submitHandlers = (store: Store, permissions: Permissions) => {
  const queries = submitQueries(store.db);
  const jobs = createJobs(store, queries);
  const spawn = spawnJobs(store, queries, jobs);
  const create = createWorkflow(store, queries);
  const update = updateWorkflow(store, queries);
  const edges = createEdges(store.db, store.windows);
  const remove = createRemoval(store, removeQueries(store.db), edges);
  const creation = createCreation(store, queries, edges);
  const archive = archiveWorkflow(store, queries, userActions(store));
  const tasks = createTasks(store, queries);
  const initialize = createInitialize(store, initializeQueries(store.db), tasks.succeed);
  const requirements = createRequirements(store, queries);
  const scheduler = createSlurmScheduler(store, queries);
  const handler = createFailureHandler(store, queries);
  const action = createAction(store, queries);

  return {
    /** A logged-in user owns the workflows that he creates, regardless of the body. */
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
    createJob: ({ body }) =>
      creation(body.workflow_id, function* (onWrite) {
        const [created = body] = yield* jobs({ workflowId: body.workflow_id, given: [body], onWrite });
        return created;
      }),
    createJobs({ query, body: { jobs: given, depends_on_positions: told } }) {
      const workflowId = workflowOfBulk({ field: 'jobs', one: 'job', many: 'jobs' }, given);
      const positions = told ?? [];
      return creation(workflowId, function* (onWrite) {
        refuseDuplicateNames(given);
        yield* refuseBadPositions(given, positions);
        const created = yield* jobs({ workflowId, given, positions, onWrite });
        return query.reply === 'ids' ? { job_ids: created.map(({ id }) => id) } : { jobs: created };
      });
    },
    spawnJobs({ params: { id }, body }) {
      const { workflow_id: workflowId } = store.find.job(id);
      return creation(workflowId, (onWrite) => spawn(id, body, onWrite));
    },
    initializeJobs({ params: { id }, query: { async: isAsync, ...query } }) {
      const only = query.only_uninitialized ?? false;
      if (isAsync === true)
        return once(initialize(id, { only }), () =>
          tasks.begin(id, query, (taskId) => initialize(id, { only, taskId })),
        );
      return mapped(initialize(id, { only }), () => ({ message: 'Initialized job status' }));
    },
    getTask: ({ params }) => tasks.read(params.id),
    getActiveTask: ({ params }) => ({ task: tasks.active(params.id) }),
    createResourceRequirements: ({ body }) => requirements(body),
    createSlurmScheduler: ({ body }) => scheduler(body),
    createFailureHandler: ({ body }) => handler(body),
    createWorkflowAction: ({ params, body }) => action(params.id, body),
  } satisfies Partial<Handlers>;
};
