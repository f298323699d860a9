import { type Job, statusCode } from '../../core/contract/job.ts';
import { labelsOfQuery } from '../../core/contract/labels.ts';
import { API_VERSION, GIT_HASH, VERSION } from '../../core/contract/version.ts';
import { allEnded, createCounts } from '../records/job/counts.ts';
import { eventOf } from '../records/event/row.ts';
import { found } from '../records/find.ts';
import type { Permissions } from '../caller.ts';
import { clamped } from '../store/listing.ts';
import type { Handlers } from '../handlers.ts';
import { jobOf } from '../records/job/row.ts';
import type { Store } from '../records/store.ts';

import { reportQueries } from './queries.ts';
import { relationQueries } from './relations/queries.ts';
import { related } from './relations/related.ts';
import { statusQueries } from './status/queries.ts';
import { readyRequirements } from './status/ready.ts';
import { createStatus } from './status/status.ts';

export const reportHandlers = (store: Store, permissions: Permissions) => {
  const { db, find, now } = store;
  const queries = reportQueries(db);
  const counts = createCounts(db);
  const standing = statusQueries(db);
  const between = relationQueries(db);
  const status = createStatus(store, standing, counts);
  const withRelationships = (jobs: readonly Job[]): Job[] => related(between.relations, jobs);

  return {
    ping: () => ({ status: 'Server is running' }),
    /**
     * A commit hash helps anybody who looks for a known vulnerability: a server that enforces access does not show it.
     */
    getVersion: () => ({
      version: VERSION,
      api_version: API_VERSION,
      ...(permissions.isEnforced ? {} : { git_hash: GIT_HASH }),
    }),

    listWorkflows({ query: { name, user, description, is_archived, access_group, ...paging } }, caller) {
      const seen_by = permissions.listedFor(caller);
      return queries.listWorkflows({ name, user, description, is_archived, access_group, seen_by }, paging);
    },
    getWorkflow: ({ params }) => find.wholeWorkflow(params.id),
    getWorkflowStatus: ({ params }) => status(params.id),
    isComplete({ params: { id } }) {
      const isCanceled = find.workflow(id).is_canceled === 1;
      return { is_complete: isCanceled || allEnded(counts(id)), is_canceled: isCanceled };
    },
    isUninitialized({ params: { id } }) {
      find.workflow(id);
      const { uninitialized: _, disabled: __, ...begun } = counts(id);
      return { is_uninitialized: Object.values(begun).every((jobs) => jobs === 0) };
    },
    getReadyJobRequirements({ params: { id }, query: { scheduler_config_id: schedulerId = null } }) {
      find.run(id);
      return readyRequirements(standing.readyNeeds.all({ workflowId: id, schedulerId }));
    },
    listJobIds({ params: { id } }) {
      find.workflow(id);
      const ids = queries.jobIds.all({ workflowId: id }).map((row) => row.id);
      return { job_ids: ids, count: ids.length };
    },

    listJobs({ query }) {
      const { offset, limit, sort_by, reverse_sort, include_relationships, labels, status: asked, ...filters } = query;
      find.workflow(filters.workflow_id);
      const paging = { offset, limit, sort_by, reverse_sort };
      const status = asked === undefined ? undefined : statusCode[asked];
      const labelSet = labels === undefined ? undefined : JSON.stringify(labelsOfQuery(labels));
      const page = queries.listJobs({ ...filters, status, labels: labelSet }, paging);
      if (include_relationships !== true) return page;
      return { ...page, items: withRelationships(page.items) };
    },
    getJob: ({ params }) => withRelationships([jobOf(find.job(params.id))])[0] as Job,

    listRunningJobs({ params: { id }, query }) {
      find.workflow(id);
      return queries.listRunningJobs({ workflow_id: id }, query);
    },
    listSlurmJobCorrelations({ params: { id }, query }) {
      find.workflow(id);
      return queries.listSlurmJobs({ workflow_id: id }, query);
    },
    listJobDependencies({ params: { id }, query }) {
      find.workflow(id);
      return between.listDependencies({ workflow_id: id }, clamped(query));
    },
    listJobFileRelationships({ params: { id }, query }) {
      find.workflow(id);
      return between.listFileRelationships({ workflow_id: id }, clamped(query));
    },
    listJobUserDataRelationships({ params: { id }, query }) {
      find.workflow(id);
      return between.listUserDataRelationships({ workflow_id: id }, clamped(query));
    },

    listResourceRequirements({ query: { offset, limit, sort_by, reverse_sort, ...filters } }) {
      find.workflow(filters.workflow_id);
      return queries.listRequirements(filters, { offset, limit, sort_by, reverse_sort });
    },
    getResourceRequirements: ({ params: { id } }) =>
      found(queries.requirements.get({ id }), 'resource_requirements', id),
    listFailureHandlers({ params: { id }, query }) {
      find.workflow(id);
      return queries.listHandlers({ workflow_id: id }, query);
    },

    listResults({ query: { offset, limit, sort_by, reverse_sort, status: asked, all_runs = false, ...filters } }) {
      find.workflow(filters.workflow_id);
      const statusFilter = asked === undefined ? undefined : statusCode[asked];
      return queries.listResults(
        { ...filters, all_runs, status: statusFilter },
        { offset, limit, sort_by, reverse_sort },
      );
    },
    getResult: ({ params: { id } }) => queries.resultOf(found(queries.result.get({ id }), 'result', id)),

    createEvent({ body }) {
      find.workflow(body.workflow_id);
      const timestamp = now();
      const id = queries.insertEvent.insert({
        workflowId: body.workflow_id,
        timestamp,
        data: JSON.stringify(body.data),
      });
      return { workflow_id: body.workflow_id, timestamp, data: body.data, id };
    },
    listEvents({ query: { offset, limit, sort_by, reverse_sort, ...filters } }) {
      find.workflow(filters.workflow_id);
      return queries.listEvents(filters, { offset, limit, sort_by, reverse_sort });
    },
    getEvent: ({ params: { id } }) => eventOf(found(queries.event.get({ id }), 'event', id)),
  } satisfies Partial<Handlers>;
};
