import type {
  NewLocalScheduler,
  NewScheduledComputeNode,
  ScheduledComputeNode,
} from '../../core/contract/allocation.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { workerOf } from '../../core/remote/worker-line.ts';
import type { Handlers } from '../handlers.ts';
import { createAllocationRecords } from '../records/allocation/create.ts';
import { allocationRow } from '../records/allocation/row.ts';
import { workflowOfBulk } from '../records/bulk.ts';
import { presentFields } from '../records/present.ts';
import { listByQuery, merged, read, removeAll, removeRecord } from '../records/records.ts';
import { createAllocationCheck } from '../records/scheduler/foreign.ts';
import { statsColumns } from '../records/slurm-stats.ts';
import type { Store } from '../records/store.ts';
import { columnValuesOf } from '../store/columns.ts';
import { changeNode, registerNode } from './node.ts';
import { allocateQueries } from './queries.ts';

export const allocateHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = allocateQueries(db);
  const register = registerNode(store, queries);
  const revise = changeNode(store, queries);

  const allocate = createAllocationRecords(store);
  const refuseForeign = createAllocationCheck(db);
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
    /**
     * Changes allocations that still have a status, and returns their ids: of two that change the same one, one does.
     *
     * Back to `planned`, an allocation is no task any more. With `array_record_id`, the numbers of the tasks are counted from
     * that record, so they follow from the ids, and every process finds the same ones.
     */
    changeScheduledComputeNodes({ params: { id: workflowId }, body: { ids, from, status, ...given } }) {
      find.workflow(workflowId);
      const change = {
        workflowId,
        from,
        status,
        held: given.held ?? null,
        schedulerId: given.scheduler_id ?? null,
        arrayJobId: given.array_job_id ?? null,
        arrayRecordId: given.array_record_id ?? null,
        maxQueued: given.max_queued ?? null,
      };
      return { changed: ids.filter((id) => queries.changeAllocation.run({ id, ...change }) > 0) };
    },
    listScheduledComputeNodes: listByQuery(find, allocations.list),
    getScheduledComputeNode: ({ params }) => read(allocations, params.id),
    updateScheduledComputeNode({ params: { id }, body }) {
      const before = read(allocations, id);
      const after = merged<NewScheduledComputeNode>(before, body);
      refuseForeign(before.workflow_id, after);
      queries.updateAllocation.run({ ...allocationRow(after), id });
      return read(allocations, id);
    },
    deleteScheduledComputeNode: ({ params }) => removeRecord(allocations, params.id),
    deleteScheduledComputeNodes: ({ query }) => ({ count: removeAll(find, allocations, query.workflow_id) }),

    createLocalScheduler({ body }) {
      const { workflow_id: workflowId, memory, num_cpus: cpus } = body;
      find.workflow(workflowId);
      if (memory === undefined || memory === null || cpus === undefined || cpus === null) {
        throw new Refusal('BODY_REFUSED', 'a local scheduler needs memory and num_cpus', {
          field: memory === undefined || memory === null ? 'memory' : 'num_cpus',
        });
      }
      const id = queries.insertLocalScheduler.insert({ workflow_id: workflowId, memory, num_cpus: cpus });
      return { ...presentFields(body), id };
    },
    listLocalSchedulers: listByQuery(find, localSchedulers.list),
    getLocalScheduler: ({ params }) => read(localSchedulers, params.id),
    updateLocalScheduler({ params: { id }, body }) {
      const { memory, num_cpus: cpus } = merged<NewLocalScheduler>(read(localSchedulers, id), body);
      queries.updateLocalScheduler.run({ id, memory: memory as string, num_cpus: cpus as number });
      return read(localSchedulers, id);
    },
    deleteLocalScheduler: ({ params }) => removeRecord(localSchedulers, params.id),
    deleteLocalSchedulers: ({ query }) => ({ count: removeAll(find, localSchedulers, query.workflow_id) }),

    /** One record for each given host, in that order. */
    addRemoteWorkers({ params: { id: workflowId }, body: workers }) {
      find.workflow(workflowId);
      const bad = workers.findIndex((worker) => faultOfWorker(worker) !== undefined);
      if (bad !== -1) {
        const found = workers[bad] as string;
        const expected = `expected [user@]host[:port]: ${faultOfWorker(found)}`;
        throw new Refusal('BODY_REFUSED', `worker ${bad} is "${found}": ${expected}`, { field: `[${bad}]`, found });
      }
      for (const worker of workers) queries.addWorker.run({ workflowId, worker });
      return workers.map((worker) => ({ worker, workflow_id: workflowId }));
    },
    listRemoteWorkers({ params: { id } }) {
      find.workflow(id);
      return queries.workers.all({ workflowId: id });
    },
    removeRemoteWorker({ params: { id: workflowId, worker } }) {
      find.workflow(workflowId);
      if (queries.removeWorker.run({ workflowId, worker }) === 1) return { worker, workflow_id: workflowId };
      throw new Refusal('NOT_FOUND', `Worker '${worker}' not found for workflow ${workflowId}`, { worker });
    },

    /** The accounting data of Slurm for an attempt, once. */
    createSlurmStats({ body }) {
      find.jobOf(body.workflow_id, body.job_id);
      const attempt = { jobId: body.job_id, runId: body.run_id, attemptId: body.attempt_id };
      if (queries.statsOf.get(attempt) !== undefined) {
        throw new Refusal(
          'DUPLICATE',
          `job_id=${body.job_id} has Slurm statistics for run ${body.run_id}, attempt ${body.attempt_id} already`,
        );
      }
      const id = queries.insertStats.insert(columnValuesOf(body, statsColumns));
      return { ...presentFields(body), id };
    },
    listSlurmStats: listByQuery(find, queries.listStats),

    createComputeNode: ({ body }) => register(body),
    updateComputeNode: ({ params, body }) => revise(params.id, body),
  } satisfies Partial<Handlers>;
};

/** Why a text is not a line of a file of workers. A leading dash would be an option of ssh, which may name a program to run. */
function faultOfWorker(text: string): string | undefined {
  const worker = /[\p{Cc}]/u.test(text) ? 'it contains a control character' : workerOf(text);
  return typeof worker === 'string' ? worker : undefined;
}
