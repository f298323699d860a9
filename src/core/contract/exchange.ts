import * as z from 'zod';
import { Job, JobStatusCounts, jobStatus } from './job.ts';
import { ComputeNodesResources } from './resources.ts';
import { LostActions } from './scheduling.ts';
import { execMinutes, JobCompletionError, OutputTimes } from './result.ts';
import { id, maybe, text } from './shape.ts';

/**
 * A runner's whole turn in one request (ours; the original has a route for each of its parts).
 *
 * A runner tells what it started, what ended and what it gives back, and says what it has room for; the server takes
 * all of it in one transaction and answers with jobs, those among them that the turn itself made ready. At most one
 * exchange of a runner is under way. Every part is fenced by (workflow, run, job, attempt) and harmless to send twice.
 *
 * Turns are numbered (`turn`), upwards for each compute node. The server carries out each number once: the same number again
 * gets the answer that it had, a lower one is refused. So a request that a network doubles or delivers late has no effect,
 * and a runner that got no answer sends what it has to tell under the next number, with the list of what it holds.
 */

/** An attempt that began. `start_time` is RFC 3339 with milliseconds. */
export const Start = z.object({ job_id: id, attempt_id: z.int(), start_time: text });
export type Start = z.output<typeof Start>;

/** An attempt that ended. `files` are the outputs that were found, with their times in seconds. */
export const Completion = z.object({
  job_id: id,
  attempt_id: z.int(),
  status: jobStatus,
  return_code: z.int(),
  exec_time_minutes: execMinutes,
  completion_time: text,
  peak_memory_bytes: maybe(z.int()),
  avg_memory_bytes: maybe(z.int()),
  peak_cpu_percent: maybe(z.number()),
  avg_cpu_percent: maybe(z.number()),
  files: maybe(OutputTimes),
});
export type Completion = z.output<typeof Completion>;

/**
 * An attempt that ended and whose job runs again, by a rule of its failure handler. `max_retries` is the rule's and counts
 * attempts: of the last one the end is taken in as that of any other.
 */
export const Retried = Completion.extend({ max_retries: z.int() });
export type Retried = z.output<typeof Retried>;

const NodeSize = z.object({ num_cpus: z.int(), memory_gb: z.number(), num_gpus: z.int() });

/**
 * What a runner has room for.
 *
 * `limit` jobs are to start at once and are packed into `offer`, what is free now. `prefetch` more may be handed out that
 * fit into `capacity`, the node when it is empty: they wait in the runner's queue for the next free slot. Without
 * `offer` jobs are counted and their needs ignored.
 *
 * A runner of several nodes tells what each of them has and has free in `nodes`; `offer` then says only for whom it is.
 */
export const Want = z.object({
  limit: z.int().min(0),
  prefetch: z.int().min(0),
  offer: maybe(ComputeNodesResources),
  capacity: maybe(NodeSize),
  nodes: maybe(z.array(z.object({ free: NodeSize, total: NodeSize }))),
  labels: maybe(z.array(text)),
  strict_scheduler_match: maybe(z.boolean()),
});
export type Want = z.output<typeof Want>;

export const ExchangeRequest = z.object({
  run_id: z.int(),
  compute_node_id: id,
  /** The number of this turn; a runner that does not number its turns is not protected from requests that arrive twice. */
  turn: maybe(z.int().min(1)),
  /** The runner ends: what is pending in its name and is not in `held` becomes ready again, and nothing is handed out. */
  is_last: maybe(z.boolean()),
  started: maybe(z.array(Start)),
  completed: maybe(z.array(Completion)),
  retried: maybe(z.array(Retried)),
  /** Jobs that were handed out and are given back, not started. */
  returned: maybe(z.array(id)),
  /** After an exchange without an answer: every job that the runner holds. What else is pending in its name is handed out again. */
  held: maybe(z.array(id)),
  want: maybe(Want),
});
export type ExchangeRequest = z.output<typeof ExchangeRequest>;

/** What a job needs, in numbers. */
export const Need = z.object({
  num_cpus: z.int(),
  memory_bytes: z.int(),
  num_gpus: z.int(),
  num_nodes: z.int(),
  runtime_seconds: z.int(),
});
export type Need = z.output<typeof Need>;

/** A job as it is handed to a runner, with all that the runner would have to ask for otherwise. */
export const ClaimedJob = Job.extend({
  id,
  attempt_id: z.int(),
  need: Need,
  output_files: maybe(z.array(z.object({ id, path: text }))),
});
export type ClaimedJob = z.output<typeof ClaimedJob>;

export const ExchangeReply = z.object({
  jobs: z.array(ClaimedJob),
  errors: z.array(JobCompletionError),
  jobs_by_status: JobStatusCounts,
  is_complete: z.boolean(),
  is_canceled: z.boolean(),
  /** The last change that the answer takes account of: what the event stream tells up to it is no news to the runner. */
  change_id: z.int(),
  /** True when the node was deregistered or reported lost: the runner has no part in the workflow any more. */
  is_deregistered: maybe(z.boolean()),
  /** Actions of jobs that wait for somebody to carry them out; absent when there is none. */
  due_actions: maybe(z.array(id)),
});
export type ExchangeReply = z.output<typeof ExchangeReply>;

/**
 * The last turn of a runner that is proven gone, told by somebody else on its host.
 *
 * `started`, `completed` and `retried` are what its ledger says. What it started and did not complete runs again as a new attempt;
 * what it never started is ready again in the same one. Without a ledger (`started` absent) all that it held counts as
 * started, for nobody can say that it was not.
 */
export const LostRunner = z.object({
  run_id: z.int(),
  started: maybe(z.array(z.object({ job_id: id, attempt_id: z.int() }))),
  completed: maybe(z.array(Completion)),
  retried: maybe(z.array(Retried)),
  actions: maybe(LostActions),
  reason: text,
});
export type LostRunner = z.output<typeof LostRunner>;

export const LostRunnerReply = z.object({
  completed: z.array(id),
  requeued: z.array(id),
  returned: z.array(id),
  errors: z.array(JobCompletionError),
  /** Actions that it had claimed: carried out again by somebody else, or interrupted. Absent where there is none. */
  actions_armed: maybe(z.array(id)),
  actions_interrupted: maybe(z.array(id)),
});
export type LostRunnerReply = z.output<typeof LostRunnerReply>;
