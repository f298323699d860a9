import type { Handlers } from '../../handlers.ts';
import { presentFields } from '../present.ts';
import { listByPath, read, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { failureHandlerQueries } from './queries.ts';

export const failureHandlerHandlers = ({ db, find }: Store) => {
  const queries = failureHandlerQueries(db);
  const { handlers } = queries;

  return {
    createFailureHandler({ body }) {
      find.workflow(body.workflow_id);
      const id = queries.insertHandler.insert({ workflowId: body.workflow_id, name: body.name, rules: body.rules });
      return { ...presentFields(body), id };
    },
    listFailureHandlers: listByPath(find, handlers.list),
    getFailureHandler: ({ params }) => read(handlers, params.id),
    deleteFailureHandler({ params: { id } }) {
      removeRecord(handlers, id);
      return { message: 'Failure handler deleted successfully' };
    },
  } satisfies Partial<Handlers>;
};
