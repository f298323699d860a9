import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { Handlers } from '../handlers.ts';
import { createAllocationRecords } from '../records/allocation/create.ts';
import { workflowOfBulk } from '../records/bulk.ts';
import { listed, read, removeRecord, removeAll } from '../records/records.ts';
import type { Store } from '../records/store.ts';
import { changeNode, registerNode } from './node.ts';
import { allocateQueries } from './queries.ts';
import {
  addWorkers,
  scheduleChanges,
  createLocalScheduler,
  createStats,
  removeWorker,
  updateAllocation,
  updateLocalScheduler,
} from './schedule.ts';

export const allocateHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = allocateQueries(db);
  const register = registerNode(store, queries);
  const revise = changeNode(store, queries);

  const allocate = createAllocationRecords(store);
  const reallocate = updateAllocation(store, queries);
  const change = scheduleChanges(store, queries);
  const createLocal = createLocalScheduler(store, queries);
  const updateLocal = updateLocalScheduler(queries);
  const addRemote = addWorkers(store, queries);
  const removeRemote = removeWorker(store, queries);
  const stats = createStats(store, queries);
  const { allocations, localSchedulers } = queries;

  return {
    createScheduledComputeNode({ body }) {
      find.workflow(body.workflow_id);
      return allocate(body.workflow_id, [body])[0] as ScheduledComputeNode;
    },
    createScheduledComputeNodes({ body: { scheduled_compute_nodes: given } }) {
      const words = { field: 'scheduled_compute_nodes', one: 'allocation', many: 'allocations' };
      const { id } = find.workflow(workflowOfBulk(words, given));
      return { scheduled_compute_nodes: allocate(id, given) };
    },
    changeScheduledComputeNodes: ({ params, body }) => ({ changed: change(params.id, body) }),
    listScheduledComputeNodes: listed(find, allocations.list),
    getScheduledComputeNode: ({ params }) => read(allocations, params.id),
    updateScheduledComputeNode: ({ params, body }) => reallocate(params.id, body),
    deleteScheduledComputeNode: ({ params }) => removeRecord(allocations, params.id),
    deleteScheduledComputeNodes: ({ query }) => ({ count: removeAll(find, allocations, query.workflow_id) }),

    createLocalScheduler: ({ body }) => createLocal(body),
    listLocalSchedulers: listed(find, localSchedulers.list),
    getLocalScheduler: ({ params }) => read(localSchedulers, params.id),
    updateLocalScheduler: ({ params, body }) => updateLocal(params.id, body),
    deleteLocalScheduler: ({ params }) => removeRecord(localSchedulers, params.id),
    deleteLocalSchedulers: ({ query }) => ({ count: removeAll(find, localSchedulers, query.workflow_id) }),

    addRemoteWorkers: ({ params, body }) => addRemote(params.id, body),
    listRemoteWorkers({ params: { id } }) {
      find.workflow(id);
      return queries.workers.all({ workflowId: id });
    },
    removeRemoteWorker: ({ params }) => removeRemote(params.id, params.worker),

    createSlurmStats: ({ body }) => stats(body),
    listSlurmStats: listed(find, queries.listStats),

    createComputeNode: ({ body }) => register(body),
    updateComputeNode: ({ params, body }) => revise(params.id, body),
  } satisfies Partial<Handlers>;
};
