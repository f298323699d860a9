import type { JobStatus } from '../../core/contract/job-statuses.ts';
import type { WorkflowOverview } from '../../core/contract/view.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import type { Imported } from '../imported.ts';

/** How a workflow stands, in a word for people. `imported`: with results of another server, and nothing has run here. */
export type WorkflowState =
  | 'archived'
  | 'being created'
  | 'canceled'
  | 'empty'
  | 'never run'
  | 'imported'
  | 'reset'
  | 'running'
  | 'waiting'
  | 'failed'
  | 'finished';

/** The state of a workflow with its numbers of jobs. */
export interface WorkflowStanding {
  readonly state: WorkflowState;
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly running: number;
}

/** Jobs whose runner holds them. */
const HELD = ['pending', 'running'] as const;
const OPEN = ['uninitialized', 'blocked', 'ready', 'pending', 'running', 'pending_failed'] as const;

export function standingOf(workflow: WorkflowOverview, imported?: Imported): WorkflowStanding {
  const { jobs_by_status: counts, total_jobs: total, active_compute_nodes: runners } = workflow;
  return {
    done: imported?.completed ?? sum(counts, 'completed'),
    total,
    failed: sum(counts, 'failed', 'terminated'),
    running: sum(counts, ...HELD),
    state: workflow.is_archived ? 'archived' : stateOf({ ...workflow, runners }, imported),
  };
}

/** The state of a workflow for which this many runners and allocations work. */
export const stateOfStatus = (status: WorkflowStatus, workers: number, imported: Imported | undefined): WorkflowState =>
  status.is_being_created === true ? 'being created' : stateOf({ ...status, runners: workers }, imported);

type Facts = Pick<WorkflowStatus, 'is_canceled' | 'total_jobs' | 'run_id'> & {
  readonly jobs_by_status: Counts;
  readonly runners: number;
};
type Counts = Partial<Record<JobStatus, number>>;

function stateOf(
  { is_canceled: isCanceled, total_jobs: total, jobs_by_status: counts, run_id: run, runners }: Facts,
  imported: Imported | undefined,
): WorkflowState {
  const disabled = sum(counts, 'disabled');
  if (isCanceled) return 'canceled';
  if (total === 0) return 'empty';
  if (sum(counts, ...OPEN) === 0) return sum(counts, 'failed', 'terminated', 'canceled') > 0 ? 'failed' : 'finished';
  if (runners > 0) return 'running';
  if (sum(counts, 'uninitialized') + disabled < total) return 'waiting';
  if (imported !== undefined) return imported.completed + disabled >= total ? 'finished' : 'imported';
  return (run ?? 0) === 0 ? 'never run' : 'reset';
}

const sum = (counts: Counts, ...statuses: readonly JobStatus[]) =>
  statuses.reduce((total, each) => total + (counts[each] ?? 0), 0);
