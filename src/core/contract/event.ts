import * as z from 'zod';
import { id, json, maybe, text } from './shape.ts';

/** What people and programs write down about a workflow. The server's own changes of state go to the stream. */
export const Event = z.object({
  id: maybe(id),
  workflow_id: id,
  timestamp: z.int(),
  data: json,
});
export type Event = z.output<typeof Event>;

export const severities = ['debug', 'info', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

/**
 * What the event stream of a workflow may say, and how loudly.
 *
 * Those marked "ours" are not in the original; its clients ignore event types that they do not know.
 */
export const streamEvents = {
  workflow_started: 'info',
  workflow_reinitialized: 'info',
  /** ours: the workflow was canceled; runners end their jobs. */
  workflow_canceled: 'warning',
  /** ours: the last job ended. */
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
  /** ours: jobs became ready and may be claimed. */
  jobs_ready: 'debug',
  /** ours: jobs were handed to a runner. */
  jobs_claimed: 'debug',
  /** ours: jobs that were handed out but not started are to be had again. */
  jobs_returned: 'debug',
  /** ours: the runner of these jobs is gone; they run again as a new attempt. */
  jobs_requeued: 'warning',
  /** ours: an attempt went wrong, and a rule has the job run again. */
  job_retried: 'warning',
  /** ours: the status of jobs was set by hand. */
  job_status_changed: 'info',
  /** ours: jobs became uninitialized; one entry counts them (`jobs`) and says why (`cause`). */
  jobs_reset: 'info',
  /** ours: a running job added jobs. */
  jobs_spawned: 'info',
  /** ours: jobs were deleted. */
  jobs_deleted: 'warning',
  /** ours: the workflow was deleted. The stream ends after this event. */
  workflow_deleted: 'warning',
  /** ours: a new run began (`reset_status`); reports of the former run are refused from here on. */
  run_started: 'info',
  /**
   * ours, told by a stream alone: events after the client's `Last-Event-ID` were removed from the log. The client should
   * read the state of the workflow again.
   */
  log_pruned: 'warning',
  /** ours, told by a stream alone: the server ends it, and `reason` says why. */
  stream_closed: 'warning',
} as const satisfies Record<string, Severity>;

export type StreamEventType = keyof typeof streamEvents;

/** One event of the stream, as its `data` line says it. */
export const StreamEvent = z.object({
  workflow_id: id,
  timestamp: z.int(),
  event_type: text,
  severity: z.enum(severities),
  data: json,
});
export type StreamEvent = z.output<typeof StreamEvent>;
