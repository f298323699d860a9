import type {
  NewLocalScheduler,
  LocalScheduler,
  RemoteWorker,
  NewScheduledComputeNode,
  ScheduledComputeNode,
  NewSlurmStats,
  SlurmStats,
} from '../../core/contract/allocation.ts';
import type { Input } from '../../core/contract/routes.ts';
import { workerOf } from '../../core/contract/worker-line.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { allocationRow } from '../records/allocation/row.ts';
import { createAllocationCheck } from '../records/scheduler/foreign.ts';
import { presentFields } from '../records/present.ts';
import { merged, type Partly, read } from '../records/records.ts';
import type { Store } from '../records/store.ts';
import { columnValuesOf } from '../store/columns.ts';
import { statsColumns } from '../records/slurm-stats.ts';
import type { AllocateQueries } from './queries.ts';

export const updateAllocation = ({ db }: Store, queries: AllocateQueries) => {
  const refuseForeign = createAllocationCheck(db);
  return (id: number, body: Partly<NewScheduledComputeNode>): ScheduledComputeNode => {
    const before = read(queries.allocations, id);
    const after = merged<NewScheduledComputeNode>(before, body);
    refuseForeign(before.workflow_id, after);
    queries.updateAllocation.run({ ...allocationRow(after), id });
    return read(queries.allocations, id);
  };
};

/**
 * Changes allocations that still have a status, and returns their ids: of two that change the same one, one does.
 *
 * Back to `planned`, an allocation is no task any more. With `array_record_id`, the numbers of the tasks are counted from
 * that record, so they follow from the ids, and every process finds the same ones.
 */
export const scheduleChanges =
  ({ find }: Store, queries: AllocateQueries) =>
  (workflowId: number, { ids, from, status, ...given }: Input<'changeScheduledComputeNodes'>['body']): number[] => {
    find.workflow(workflowId);
    const change = {
      workflowId,
      from,
      status,
      held: given.held ?? null,
      schedulerId: given.scheduler_id ?? null,
      arrayJobId: given.array_job_id ?? null,
      arrayRecordId: given.array_record_id ?? null,
    };
    return ids.filter((id) => queries.changeAllocation.run({ id, ...change }) > 0);
  };

export const createLocalScheduler =
  ({ find }: Store, queries: AllocateQueries) =>
  (body: NewLocalScheduler): LocalScheduler => {
    const { workflow_id: workflowId, memory, num_cpus: cpus } = body;
    find.workflow(workflowId);
    if (memory === undefined || memory === null || cpus === undefined || cpus === null) {
      throw new Refusal('BODY_REFUSED', 'a local scheduler needs memory and num_cpus', {
        field: memory === undefined || memory === null ? 'memory' : 'num_cpus',
      });
    }
    const id = queries.insertLocalScheduler.insert({ workflow_id: workflowId, memory, num_cpus: cpus });
    return { ...presentFields(body), id };
  };

export const updateLocalScheduler =
  (queries: AllocateQueries) =>
  (id: number, body: Partly<NewLocalScheduler>): LocalScheduler => {
    const { memory, num_cpus: cpus } = merged<NewLocalScheduler>(read(queries.localSchedulers, id), body);
    queries.updateLocalScheduler.run({ id, memory: memory as string, num_cpus: cpus as number });
    return read(queries.localSchedulers, id);
  };

/** Why a text is not a line of a file of workers. A leading dash would be an option of ssh, which may name a program to run. */
function faultOfWorker(text: string): string | undefined {
  const worker = /[\p{Cc}]/u.test(text) ? 'it contains a control character' : workerOf(text);
  return typeof worker === 'string' ? worker : undefined;
}

/** Adds hosts and returns one record for each given host, in that order. */
export const addWorkers =
  ({ find }: Store, queries: AllocateQueries) =>
  (workflowId: number, workers: readonly string[]): RemoteWorker[] => {
    find.workflow(workflowId);
    const bad = workers.findIndex((worker) => faultOfWorker(worker) !== undefined);
    if (bad !== -1) {
      const found = workers[bad] as string;
      const expected = `expected [user@]host[:port]: ${faultOfWorker(found)}`;
      throw new Refusal('BODY_REFUSED', `worker ${bad} is "${found}": ${expected}`, { field: `[${bad}]`, found });
    }
    for (const worker of workers) queries.addWorker.run({ workflowId, worker });
    return workers.map((worker) => ({ worker, workflow_id: workflowId }));
  };

export const removeWorker =
  ({ find }: Store, queries: AllocateQueries) =>
  (workflowId: number, worker: string): RemoteWorker => {
    find.workflow(workflowId);
    if (queries.removeWorker.run({ workflowId, worker }) === 1) return { worker, workflow_id: workflowId };
    throw new Refusal('NOT_FOUND', `Worker '${worker}' not found for workflow ${workflowId}`, { worker });
  };

/** Stores the accounting data of Slurm for an attempt, once. */
export const createStats =
  ({ find }: Store, queries: AllocateQueries) =>
  (body: NewSlurmStats): SlurmStats => {
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
  };
