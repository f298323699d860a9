import { Refusal } from '../../../core/contract/refusals.ts';
import type { Permissions } from '../../caller.ts';
import type { Handlers } from '../../handlers.ts';
import { userActions } from '../event/user-action.ts';
import type { Edges } from '../edges/edges.ts';
import { requirementsQueries } from '../requirements/queries.ts';
import type { Store } from '../store.ts';
import { createWorkflowRecord, updateWorkflow } from './create.ts';
import { workflowQueries } from './queries.ts';
import { removeQueries } from './remove/queries.ts';
import { createRemoval } from './remove/remove.ts';

/** A workflow that was not whole for so long stays so: the program that created it was killed. */
const ABANDONED_MS = 24 * 3_600_000;

export const workflowHandlers = (store: Store, permissions: Permissions, edges: Edges) => {
  const { db, find } = store;
  const queries = workflowQueries(db);
  const create = createWorkflowRecord(store, queries, requirementsQueries(db));
  const update = updateWorkflow(store, queries);
  const noteAction = userActions(store);
  const remove = createRemoval(store, removeQueries(db), edges);
  store.chores.push(async () => {
    for (const { id } of queries.abandoned.all({ beforeMs: store.now() - ABANDONED_MS }))
      await store.works.carryOut(remove(id));
  });

  return {
    /** A logged-in user owns the workflows that he creates, regardless of the body. */
    createWorkflow: ({ body }, { user }) => create(user === undefined ? body : { ...body, user }),
    updateWorkflow({ params: { id }, body }, caller) {
      const isGivenAway = typeof body.user === 'string' && body.user !== find.workflow(id).user;
      if (isGivenAway && !permissions.owns(caller, id)) {
        throw new Refusal('FORBIDDEN', `Only its owner may give workflow ${id} to '${body.user}'`, {
          error: 'Forbidden',
          field: 'user',
        });
      }
      if (isGivenAway) permissions.haveChanged();
      return update(id, body);
    },
    deleteWorkflow: ({ params }) => remove(params.id),
    archiveWorkflow({ params: { id }, body: { is_archived: isArchived } }, caller) {
      find.run(id);
      queries.archiveWorkflow.run({ id, isArchived: Number(isArchived) });
      noteAction(id, caller, 'archive_workflow', { is_archived: isArchived });
      return find.wholeWorkflow(id);
    },
    listWorkflows: ({ query }, caller) => queries.listWorkflows({ ...query, seen_by: permissions.listedFor(caller) }),
    listSharedWorkflows: ({ params: { user_name: shared_with }, query }) =>
      queries.listWorkflows({ ...query, shared_with }),
    getWorkflow: ({ params }) => find.wholeWorkflow(params.id),
  } satisfies Partial<Handlers>;
};
