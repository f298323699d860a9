import type { JobStatusCounts } from '../../../core/contract/job.ts';
import type { WorkflowOverview } from '../../../core/contract/view.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { outcomeOf } from '../../../core/lifecycle/explain/outcome.ts';
import { countOf, NOT_BEGUN, OPEN } from '../../../core/job/statuses.ts';
import type { Imported } from '../facts/imported.ts';

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
  | 'stopped'
  | 'finished';

/** The state of a workflow with its numbers of jobs. */
export interface WorkflowStanding {
  readonly state: WorkflowState;
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly stopped: number;
  readonly running: number;
}

export function standingOf(workflow: WorkflowOverview, imported?: Imported): WorkflowStanding {
  const { jobs_by_status: counts, total_jobs: total, active_compute_nodes: runners } = workflow;
  const { completed, failed, stopped, running } = outcomeOf(counts);
  return {
    done: imported?.completed ?? completed,
    total,
    failed,
    stopped,
    running,
    state: workflow.is_archived ? 'archived' : stateOf({ ...workflow, runners }, imported),
  };
}

/** The state of a workflow for which this many runners and allocations work. */
export const stateOfStatus = (status: WorkflowStatus, workers: number, imported: Imported | undefined): WorkflowState =>
  status.is_being_created === true ? 'being created' : stateOf({ ...status, runners: workers }, imported);

type Facts = Pick<WorkflowStatus, 'is_canceled' | 'total_jobs' | 'run_id'> & {
  readonly jobs_by_status: Partial<JobStatusCounts>;
  readonly runners: number;
};

function stateOf(
  { is_canceled: isCanceled, total_jobs: total, jobs_by_status: counts, run_id: run, runners }: Facts,
  imported: Imported | undefined,
): WorkflowState {
  const { disabled = 0 } = counts;
  if (isCanceled) return 'canceled';
  if (total === 0) return 'empty';
  if (countOf(counts, OPEN) === 0) return endOf(counts);
  if (runners > 0) return 'running';
  if (countOf(counts, NOT_BEGUN) < total) return 'waiting';
  if (imported !== undefined) return imported.completed >= total - disabled ? 'finished' : 'imported';
  return (run ?? 0) === 0 ? 'never run' : 'reset';
}

function endOf(counts: Facts['jobs_by_status']): WorkflowState {
  const { failed, stopped } = outcomeOf(counts);
  return failed > 0 ? 'failed' : stopped > 0 ? 'stopped' : 'finished';
}
