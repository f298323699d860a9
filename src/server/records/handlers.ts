import { Refusal } from '../../core/contract/refusals.ts';
import { createCounts } from './job/counts.ts';
import { createEdges } from './job/edges.ts';
import { jobOf } from './job/row.ts';
import type { Handlers } from '../handlers.ts';
import { read, remove, removeAll } from './records.ts';
import type { Store } from './store.ts';
import { userActions } from './event/user-action.ts';
import { createDeletion } from './deletion/deletion.ts';
import { deletionQueries } from './deletion/queries.ts';
import { refuseHeld, updateJob } from './job/change.ts';
import { reviseQueries } from './job/queries.ts';
import { createResult, updateRequirements, updateResult, updateScheduler } from './result/change.ts';

/** Changes and deletes the parts of a workflow. */
export const reviseHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = reviseQueries(db);
  const counts = createCounts(db);
  const update = updateJob(store, queries);
  const deletion = createDeletion(store, deletionQueries(db), createEdges(db, store.windows));
  const revise = updateRequirements(queries, userActions(store));
  const report = createResult(store, queries);
  const correct = updateResult(queries);
  const reschedule = updateScheduler(queries);
  const { files, userData, requirements, results, events, nodes, schedulers, handlers } = queries;

  /** 0 means any of them. */
  const refuseUsed = (workflowId: number, id: number) => {
    const jobs = queries.jobsWithRequirements.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'resource requirements' : `resource requirements ${id}`;
    throw new Refusal('IN_USE', `${which} of workflow ${workflowId}: ${jobs} jobs use them`, { jobs });
  };
  const refuseBusy = (workflowId: number, id: number) => {
    const jobs = queries.jobsHeldBy.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'runners' : `compute node ${id}`;
    throw new Refusal('IN_USE', `${which} of workflow ${workflowId}: ${jobs} jobs are pending or running there`, {
      jobs,
    });
  };

  const listed = ({ workflow_id: workflowId }: { workflow_id: number }) => ({
    check: () => void find.workflow(workflowId),
    reply: (count: number) => ({ count }),
  });

  return {
    updateJob: ({ params, body }) => update(params.id, body),
    deleteJob: ({ params: { id } }) =>
      deletion.one(find.job(id).workflow_id, 'job', id, () => {
        const row = find.job(id);
        refuseHeld(row);
        return jobOf(row);
      }),
    deleteJobs: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'job', {
        check() {
          find.workflow(workflowId);
          const { pending, running } = counts(workflowId);
          const underWay = pending + running;
          if (underWay === 0) return;
          throw new Refusal(
            'STATUS_REFUSED',
            `${underWay} jobs of workflow ${workflowId} are pending or running; cancel it first`,
            { jobs: underWay },
          );
        },
        reply: (count) => ({ count }),
      }),

    deleteFile: ({ params: { id } }) => deletion.one(read(files, id).workflow_id, 'file', id, () => read(files, id)),
    deleteFiles: ({ query }) =>
      deletion.all(query.workflow_id, 'file', {
        ...listed(query),
        reply: (count) => ({ deleted_count: count }),
      }),
    deleteUserData: ({ params: { id } }) =>
      deletion.one(read(userData, id).workflow_id, 'user_data', id, () => read(userData, id)),
    deleteUserDataList: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'user_data', {
        check: () => void find.workflow(workflowId),
        reply: (count) => ({
          message: `Deleted ${count} user data records for workflow ${workflowId}`,
          deleted_count: count,
        }),
      }),

    updateResourceRequirements: ({ params, body }, caller) => revise(params.id, body, caller),
    deleteResourceRequirements({ params: { id } }) {
      refuseUsed(read(requirements, id).workflow_id, id);
      return remove(requirements, id);
    },
    deleteResourceRequirementsList({ query: { workflow_id: workflowId } }) {
      refuseUsed(workflowId, 0);
      return { count: removeAll(find, requirements, workflowId) };
    },

    createResult: ({ body }) => report(body),
    updateResult: ({ params, body }) => correct(params.id, body),
    deleteResult({ params: { id } }) {
      const { job_id: jobId } = read(results, id);
      queries.forgetResult.run({ jobId, id });
      return remove(results, id);
    },
    deleteResults: ({ query }) => deletion.all(query.workflow_id, 'result', listed(query)),

    updateEvent({ params: { id }, body }) {
      read(events, id);
      queries.updateEvent.run({ id, data: JSON.stringify(body) });
      return read(events, id);
    },
    deleteEvent: ({ params }) => remove(events, params.id),
    deleteEvents: ({ query }) => deletion.all(query.workflow_id, 'event', listed(query)),

    deleteComputeNode({ params: { id } }) {
      refuseBusy(read(nodes, id).workflow_id, id);
      return remove(nodes, id);
    },
    deleteComputeNodes: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'compute_node', {
        check() {
          refuseBusy(workflowId, 0);
          find.workflow(workflowId);
        },
        reply: (count) => ({ count }),
      }),

    getSlurmScheduler: ({ params }) => read(schedulers, params.id),
    updateSlurmScheduler: ({ params, body }) => reschedule(params.id, body),
    deleteSlurmScheduler: ({ params }) => remove(schedulers, params.id),
    deleteSlurmSchedulers: ({ query }) => ({ count: removeAll(find, schedulers, query.workflow_id) }),

    getFailureHandler: ({ params }) => read(handlers, params.id),
    deleteFailureHandler({ params: { id } }) {
      remove(handlers, id);
      return { message: 'Failure handler deleted successfully' };
    },
  } satisfies Partial<Handlers>;
};
