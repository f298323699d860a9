import * as z from 'zod';
import { id, integer, json, maybe, stored, text } from './shape.ts';

/**
 * An event that a user or a program recorded. Changes of state that the server makes go to the event stream instead.
 */
export const NewEvent = z.object({
  id: maybe(id),
  workflow_id: id,
  timestamp: integer,
  data: json,
});
export type NewEvent = z.output<typeof NewEvent>;
export const Event = stored(NewEvent);
export type Event = z.output<typeof Event>;

export const severities = ['debug', 'info', 'warning', 'error'] as const;
export type EventSeverity = (typeof severities)[number];

/**
 * The event types of the stream of a workflow, with their severity.
 *
 * Types marked "addition" do not exist in Torc 1.0.0; its clients ignore unknown event types.
 */
export const streamEvents = {
  workflow_started: 'info',
  workflow_reinitialized: 'info',
  /** addition: the workflow was canceled; runners end their jobs. */
  workflow_canceled: 'warning',
  /** addition: jobs were canceled that a runner holds; it ends them. */
  attempts_canceled: 'warning',
  /** addition: the last job ended. */
  workflow_completed: 'info',
  compute_node_started: 'info',
  compute_node_stopped: 'info',
  scheduler_node_created: 'info',
  task_completed: 'info',
  job_started: 'info',
  job_completed: 'info',
  job_failed: 'error',
  job_canceled: 'warning',
  job_terminated: 'warning',
  job_pending_failed: 'info',
  /** addition: jobs became ready and can be claimed. */
  jobs_ready: 'debug',
  /** addition: jobs were assigned to a runner. */
  jobs_claimed: 'debug',
  /** addition: jobs that were assigned but not started can be claimed again. */
  jobs_returned: 'debug',
  /** addition: the runner of these jobs is lost; they run again as a new attempt. */
  jobs_requeued: 'warning',
  /** addition: an attempt failed, and a rule retries the job. */
  job_retried: 'warning',
  /** addition: the status of jobs was set by hand. */
  job_status_changed: 'info',
  /** addition: jobs became uninitialized; one entry has their number (`jobs`) and the reason (`cause`). */
  jobs_reset: 'info',
  /** addition: a running job added jobs. */
  jobs_spawned: 'info',
  /** addition: jobs were deleted. */
  jobs_deleted: 'warning',
  /** addition: the workflow was deleted. The stream ends after this event. */
  workflow_deleted: 'warning',
  /** addition: a new run began (`reset_status`); from now on, reports of the previous run are refused. */
  run_started: 'info',
  /**
   * addition, in streams only: events after the client's `Last-Event-ID` were removed from the log. The client should
   * read the state of the workflow again.
   */
  log_pruned: 'warning',
  /** addition, in streams only: the server ends the stream; `reason` says why. */
  stream_closed: 'warning',
} as const satisfies Record<string, EventSeverity>;

export type StreamEventType = keyof typeof streamEvents;

/** One event of the stream, as in its `data` line. */
export const StreamEvent = z.object({
  workflow_id: id,
  timestamp: integer,
  event_type: text,
  severity: z.enum(severities),
  data: json,
});
export type StreamEvent = z.output<typeof StreamEvent>;
