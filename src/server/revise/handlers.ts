import { Refusal } from '../../core/contract/refusals.ts';
import { createCounts } from '../store/counts.ts';
import type { Handlers } from '../store/handlers.ts';
import { read, remove, removeAll } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { userActions } from '../store/user-action.ts';
import { deleteJob, updateJob } from './job.ts';
import { reviseQueries } from './queries.ts';
import { createResult, updateRequirements, updateResult, updateScheduler } from './records.ts';

/** Changing and deleting what a workflow is made of. */
export const reviseHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = reviseQueries(db);
  const counts = createCounts(db);
  const update = updateJob(store, queries);
  const drop = deleteJob(store, queries);
  const revise = updateRequirements(queries, userActions(store));
  const report = createResult(store, queries);
  const correct = updateResult(queries);
  const reschedule = updateScheduler(queries);
  const { files, userData, requirements, results, events, nodes, schedulers, handlers } = queries;

  /** 0 for any of them. */
  const refuseUsed = (workflowId: number, id: number) => {
    const jobs = queries.jobsWithRequirements.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'resource requirements' : `resource requirements ${id}`;
    throw new Refusal('IN_USE', `${which} of workflow ${workflowId}: ${jobs} jobs have them`, { jobs });
  };
  const refuseBusy = (workflowId: number, id: number) => {
    const jobs = queries.jobsHeldBy.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'runners' : `compute node ${id}`;
    throw new Refusal('IN_USE', `${which} of workflow ${workflowId}: ${jobs} jobs are pending or running there`, {
      jobs,
    });
  };

  return {
    updateJob: ({ params, body }) => update(params.id, body),
    deleteJob: ({ params }) => drop(params.id),
    deleteJobs({ query: { workflow_id: workflowId } }) {
      find.workflow(workflowId);
      const { pending, running } = counts(workflowId);
      const underWay = pending + running;
      if (underWay > 0) {
        throw new Refusal(
          'STATUS_REFUSED',
          `${underWay} jobs of workflow ${workflowId} are pending or running; cancel it first`,
          { jobs: underWay },
        );
      }
      return { count: queries.removeJobs.run({ workflowId }) };
    },

    deleteFile: ({ params }) => remove(files, params.id),
    deleteFiles: ({ query }) => ({ deleted_count: removeAll(find, files, query.workflow_id) }),
    deleteUserData: ({ params }) => remove(userData, params.id),
    deleteUserDataList({ query: { workflow_id: workflowId } }) {
      const count = removeAll(find, userData, workflowId);
      return { message: `Deleted ${count} user data records for workflow ${workflowId}`, deleted_count: count };
    },

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
    deleteResults({ query: { workflow_id: workflowId } }) {
      queries.forgetResults.run({ workflowId });
      return { count: removeAll(find, results, workflowId) };
    },

    updateEvent({ params: { id }, body }) {
      read(events, id);
      queries.updateEvent.run({ id, data: JSON.stringify(body) });
      return read(events, id);
    },
    deleteEvent: ({ params }) => remove(events, params.id),
    deleteEvents: ({ query }) => ({ count: removeAll(find, events, query.workflow_id) }),

    deleteComputeNode({ params: { id } }) {
      refuseBusy(read(nodes, id).workflow_id, id);
      return remove(nodes, id);
    },
    deleteComputeNodes({ query: { workflow_id: workflowId } }) {
      refuseBusy(workflowId, 0);
      return { count: removeAll(find, nodes, workflowId) };
    },

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
