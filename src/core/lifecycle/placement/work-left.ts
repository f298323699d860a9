import type { JobStatusCounts } from '../../contract/job.ts';
import { countOf, UNDER_WAY } from '../../job/statuses.ts';
import { type JobKind, obstacles, type RunnerRoom } from './obstacles.ts';

/** What is left to run in a workflow and what may come: kinds of jobs, or `anything` where nothing can be excluded. */
export type WorkLeft = 'anything' | readonly JobKind[];

/** What decides about the work that is left, without the kinds of jobs. */
export interface Standing {
  readonly counts: JobStatusCounts;
  readonly isCanceled: boolean;
  /** Runners stay when the workflow is complete (`compute_node_ignore_workflow_completion`). */
  readonly staysWhenComplete: boolean;
  /** The server still releases jobs that wait for ended ones, so the counts prove nothing. */
  readonly isReleasing: boolean;
  /** Running jobs may add jobs (`dynamic_jobs`, or one of them was added by another). */
  readonly addsJobs: boolean;
  /** An action is being executed: its commands may create, reset or submit anything. */
  readonly executesAction: boolean;
  /** An action waits for jobs, and no runner that works can execute it, or its commands may create anything. */
  readonly awaitsAction: boolean;
}

/** `kinds`: the jobs that are ready, blocked, assigned or undecided, or that run and may be retried, decide. */
export type Outlook = 'anything' | 'nothing' | 'kinds';

/**
 * Whether anything is left for runners that come or wait.
 *
 * Blocked jobs are no work where no job is ready or runs: nothing makes them ready. Jobs that were never initialized
 * may become anything, and so may a workflow that has no jobs yet.
 */
export function outlookOf(standing: Standing): Outlook {
  const { counts, isCanceled, staysWhenComplete, isReleasing, addsJobs, executesAction, awaitsAction } = standing;
  if (staysWhenComplete) return 'anything';
  if (isCanceled) return 'nothing';
  const isEmpty = Object.values(counts).every((jobs) => jobs === 0);
  if (isEmpty || counts.uninitialized > 0 || isReleasing || executesAction) return 'anything';
  if (countOf(counts, UNDER_WAY) === 0) return 'nothing';
  return awaitsAction || (addsJobs && counts.running > 0) ? 'anything' : 'kinds';
}

/** Whether one of these runners, when empty, can take some of it. */
export const hasWorkFor = (left: WorkLeft, rooms: readonly RunnerRoom[]): boolean =>
  left === 'anything' || left.some((kind) => rooms.some((room) => obstacles(kind, room).length === 0));
