import { found } from '../store/find.ts';
import type { Handlers } from '../store/handlers.ts';
import { computeNodeOf } from '../store/node-row.ts';
import type { Store } from '../store/store.ts';
import { changeNode, registerNode } from './node.ts';
import { allocateQueries } from './queries.ts';

export const allocateHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = allocateQueries(db);
  const register = registerNode(store, queries);
  const change = changeNode(store, queries);

  return {
    createComputeNode: ({ body }) => register(body),
    updateComputeNode: ({ params, body }) => change(params.id, body),
    getComputeNode: ({ params: { id } }) => computeNodeOf(found(queries.getNode.get({ id }), 'compute_node', id)),
    listComputeNodes({ query: { workflow_id, hostname, is_active, ...paging } }) {
      find.workflow(workflow_id);
      return queries.listNodes({ workflow_id, hostname, is_active }, paging);
    },
    listSlurmSchedulers({ query: { workflow_id, ...paging } }) {
      find.workflow(workflow_id);
      return queries.listSchedulers({ workflow_id }, paging);
    },
  } satisfies Partial<Handlers>;
};
