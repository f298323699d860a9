import type { Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import { presentFields } from '../records/present.ts';
import type { Store } from '../records/store.ts';
import { createAttemptsOf } from './attempts.ts';
import { createFamiliesOf } from './families.ts';
import { createFailures } from './failures.ts';
import { createGraphs } from './graph.ts';
import { createJobSamples } from './job-samples.ts';
import { createNodeUse } from './node-use.ts';
import { createOutputTails } from './output-tail.ts';
import { viewQueries } from './queries.ts';
import { createResourceUse } from './resource-use.ts';
import { someCounts } from './some-counts.ts';
import { createTimelines } from './timeline.ts';

/** Workflows or jobs of a page, where the request does not say. */
const PAGE_WORKFLOWS = 50;

/** What a page shows of workflows: replies whose size does not grow with the number of jobs. */
export const viewHandlers = (store: Store, permissions: Permissions) => {
  const queries = viewQueries(store.db);
  const familiesOf = createFamiliesOf(queries);
  const graphs = createGraphs(store, queries, familiesOf);
  const attemptsOf = createAttemptsOf(store, queries);
  const timeline = createTimelines(queries, familiesOf, attemptsOf);
  const nodeUse = createNodeUse(queries, attemptsOf);
  const failures = createFailures(store, queries);
  const resourceUse = createResourceUse(store, queries);
  const jobSamples = createJobSamples(store, queries, permissions);
  const outputTail = createOutputTails(store, queries, permissions);

  return {
    listWorkflowOverviews(
      { query: { user, name, project, access_group: group, before, limit = PAGE_WORKFLOWS } },
      caller,
    ) {
      const rows = queries.overviews.all({
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit: limit + 1,
        user: user ?? null,
        name: name ?? null,
        project: project ?? null,
        group: group ?? null,
        seenBy: permissions.listedFor(caller) ?? null,
      });
      const items = rows.slice(0, limit).map(({ counts, runners, ...row }) => {
        const pairs = JSON.parse(counts) as [number, number][];
        return {
          ...row,
          project: row.project ?? undefined,
          is_canceled: row.is_canceled === 1,
          is_archived: row.is_archived === 1,
          total_jobs: pairs.reduce((sum, [, jobs]) => sum + jobs, 0),
          jobs_by_status: someCounts(pairs),
          active_compute_nodes: runners,
        };
      });
      return { items, has_more: rows.length > limit };
    },
    listRunningNow({ params: { id: workflowId }, query: { after = 0, limit = PAGE_WORKFLOWS } }) {
      store.find.workflow(workflowId);
      const rows = queries.runningNow.all({ workflowId, after, limit: limit + 1 });
      return { items: rows.slice(0, limit).map(presentFields), has_more: rows.length > limit };
    },
    getWorkflowGraph: ({ params }) => graphs.graph(params.id),
    listFamilyJobs: ({ params: { id, family }, query }) => graphs.jobs(id, family, query),
    getWorkflowTimeline: ({ params, query }) => timeline(params.id, query),
    listFailureGroups: ({ params }) => failures(params.id),
    getResourceUse: ({ params }) => resourceUse(params.id),
    getNodeUse: ({ params, query }) => nodeUse(params.id, query),
    getJobSamples: ({ params, query }) => jobSamples(params.id, query),
    getOutputTail: ({ params, query }) => outputTail(params.id, query),
  } satisfies Partial<Handlers>;
};
