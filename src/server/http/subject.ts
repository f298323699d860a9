import { type Access, type RecordTable, recordTables } from '../../core/contract/routes/route.ts';
import type { RouteName } from '../../core/contract/routes.ts';
import { subjectQueries } from '../access/queries.ts';
import { foundRow, missingRecord } from '../records/find.ts';
import type { Store } from '../records/store.ts';
import type { About } from '../store/held-workflows.ts';

interface Given {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

type Fields = Readonly<Record<string, unknown>> | undefined;

/**
 * Writes that continue while the dependents of jobs are released in slices: they change jobs that are assigned or
 * ready, and nothing that is counted. All other writes wait until every dependency is counted down.
 */
const COMPATIBLE: ReadonlySet<RouteName> = new Set<RouteName>([
  'exchange',
  'reportLostRunner',
  'startJob',
  'completeJob',
  'batchCompleteJobs',
  'claimJobsBasedOnResources',
  'claimNextJobs',
  'claimWorkflowAction',
  'createComputeNode',
  'updateComputeNode',
  'createEvent',
  'createFile',
  'updateFile',
  'createUserData',
  'updateUserData',
  'createSlurmStats',
  'createScheduledComputeNode',
  'createScheduledComputeNodes',
  'updateScheduledComputeNode',
  'changeScheduledComputeNodes',
]);

/** Rules that concern the workflow whose id stands in the path. */
const BY_PATH = new Set<Access>(['workflow in path', 'task of workflow in path', 'owner', 'sharer']);

/** The workflow that a request concerns, for requests that must wait for work on it or come after its deletion. */
export function createSubject({ db, find }: Store, name: RouteName) {
  const workflowOf = subjectQueries(db);
  const isCompatible = COMPATIBLE.has(name);

  const subject = (access: Access, { params, query, body }: Given): number | undefined => {
    const id = (params as Fields)?.['id'] as number;
    if (BY_PATH.has(access)) return id;
    if (access === 'workflow in query') return (query as Fields)?.['workflow_id'] as number;
    if (access === 'workflow in body') return (body as Fields)?.['workflow_id'] as number;
    if (access === 'workflow in entries') return workflowOfEntries(body as Fields);
    const table = recordTables.find((each) => access === `workflow of ${each}`);
    return table === undefined ? undefined : workflowOf[table].get({ id })?.workflow_id;
  };

  return {
    about: (access: Access, given: Given): About => ({ workflowId: () => subject(access, given), isCompatible }),

    /** Rows of a deleted workflow may be left: no request finds them. */
    refuseRemoved(access: Access, given: Given): void {
      if (find.removed.size === 0) return;
      const workflowId = subject(access, given);
      if (workflowId === undefined || !find.removed.has(workflowId)) return;
      if (!access.startsWith('workflow of ')) missingRecord('Workflow', workflowId);
      const table = access.slice('workflow of '.length) as RecordTable;
      const id = (given.params as { id: number }).id;
      if (table === 'job') missingRecord('Job', id);
      foundRow(undefined, table, id);
    },
  };
}

function workflowOfEntries(body: Fields): number | undefined {
  for (const entries of Object.values(body ?? {})) {
    const [first] = Array.isArray(entries) ? (entries as { workflow_id?: unknown }[]) : [];
    if (typeof first?.workflow_id === 'number') return first.workflow_id;
  }
  return undefined;
}
