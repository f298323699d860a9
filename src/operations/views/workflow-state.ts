import type { JobStatus } from '../../core/contract/job-statuses.ts';
import type { WorkflowOverview } from '../../core/contract/view.ts';

/** How a workflow stands, in a word for people, with its numbers of jobs. */
export interface WorkflowStanding {
  readonly state: 'archived' | 'canceled' | 'empty' | 'never run' | 'running' | 'waiting' | 'failed' | 'finished';
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly running: number;
}

/** Jobs whose runner holds them. */
const HELD = ['pending', 'running'] as const;
const OPEN = ['uninitialized', 'blocked', 'ready', 'pending', 'running', 'pending_failed'] as const;

export function standingOf(workflow: WorkflowOverview): WorkflowStanding {
  const { jobs_by_status: counts, total_jobs: total } = workflow;
  const of = (...statuses: readonly JobStatus[]) => statuses.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const failed = of('failed', 'terminated');
  const figures = { done: of('completed'), total, failed, running: of(...HELD) };
  return { ...figures, state: stateOf(workflow, of(...OPEN), of('uninitialized'), failed + of('canceled')) };
}

function stateOf(
  {
    is_archived: isArchived,
    is_canceled: isCanceled,
    total_jobs: total,
    active_compute_nodes: runners,
  }: WorkflowOverview,
  open: number,
  uninitialized: number,
  bad: number,
): WorkflowStanding['state'] {
  if (isArchived) return 'archived';
  if (isCanceled) return 'canceled';
  if (total === 0) return 'empty';
  if (open === 0) return bad > 0 ? 'failed' : 'finished';
  if (runners > 0) return 'running';
  return uninitialized === total ? 'never run' : 'waiting';
}
