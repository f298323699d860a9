import * as z from 'zod';
import { SlurmFigures } from './allocation.ts';
import { Job, JobStatusCounts, jobStatus } from './job.ts';
import { ComputeNodesResources } from './resources.ts';
import { FailureHandler, LostActions } from './scheduling.ts';
import { InputStamps, endOfAttempt, execMinutes, JobCompletionError, OutputTimes } from './result.ts';
import { LimitInUse } from './waiting-limit.ts';
import { amounts, flag, id, integer, maybe, number, text } from './shape.ts';

/**
 * The exchange: everything that a runner reports and requests, in one request (Torc 1.0.0 has a route for each part).
 *
 * A runner reports the attempts that it started, the attempts that ended and the jobs that it returns, and offers its
 * free resources. The server processes all of it in one transaction and replies with jobs, including those that this
 * exchange made ready. A runner has at most one exchange in flight. Every part is fenced by (workflow, run, job,
 * attempt) and can be sent twice without harm.
 *
 * Exchanges are numbered (`turn`), upwards for each compute node. The server executes each number once: a repeated
 * number gets the same reply, a lower one is refused. So a request that a network doubles or delivers late has no
 * effect. A runner that got no reply sends its entries again under the next number, with the list of jobs that it
 * holds.
 */

/** An attempt that began. `start_time` is RFC 3339 with milliseconds. */
export const Start = z.object({ job_id: id, attempt_id: integer, start_time: text });
export type Start = z.output<typeof Start>;

/** An attempt that ended. `files` are the outputs that were found, with their times in seconds; `inputs` are the inputs as it found them. */
export const Completion = z.object({
  job_id: id,
  attempt_id: integer,
  status: jobStatus,
  return_code: integer,
  exec_time_minutes: execMinutes,
  completion_time: text,
  ...endOfAttempt,
  files: maybe(OutputTimes),
  inputs: maybe(InputStamps),
  /** The statistics of Slurm for this attempt, if they are known; else its runner stores them when they are. */
  slurm_stats: maybe(SlurmFigures),
});
export type Completion = z.output<typeof Completion>;

/** Requirements that the next attempt of a job has instead of those of this one; fields that are absent stay. */
export const RaisedNeed = z.object({
  memory_bytes: maybe(z.int().positive()),
  runtime_seconds: maybe(z.int().positive()),
});
export type RaisedNeed = z.output<typeof RaisedNeed>;

/**
 * An attempt that ended and whose job is retried by a rule of its failure handler. `max_retries` comes from the rule
 * and counts attempts: the end of the last one is processed as any other end. With `raise` this job alone gets larger
 * requirements; other jobs keep the record that it had. `is_refunded`: the attempt counts for no failure handler.
 */
export const Retried = Completion.extend({
  max_retries: integer,
  raise: maybe(RaisedNeed),
  is_refunded: maybe(flag),
});
export type Retried = z.output<typeof Retried>;

const NodeSize = z.object({ num_cpus: integer, memory_gb: number, num_gpus: integer });

/**
 * How many jobs a runner takes that still wait for jobs which it holds. `after` names held jobs whose dependents it wants;
 * the dependents of jobs that this turn assigns are looked at in any case.
 */
const WantAhead = z.object({ limit: z.int().min(0), after: maybe(z.array(id)) });

/**
 * The jobs that a runner has room for.
 *
 * `limit` jobs are to start at once and are packed into `offer`, the resources that are free now. Up to `prefetch` more
 * jobs that fit into `capacity`, the empty node, may be assigned: they wait in the runner's queue for the next free
 * slot. Without `offer`, jobs are counted and their requirements ignored.
 *
 * A runner of several nodes reports the total and the free resources of each node in `nodes`; `offer` then only names
 * the runner's labels and scheduler.
 */
export const Want = z.object({
  limit: z.int().min(0),
  prefetch: z.int().min(0),
  offer: maybe(ComputeNodesResources),
  capacity: maybe(NodeSize),
  nodes: maybe(z.array(z.object({ free: NodeSize, total: NodeSize }))),
  labels: maybe(z.array(text)),
  strict_scheduler_match: maybe(flag),
  /** What the allocation of the runner holds of the licenses of the batch system: its jobs hold no more at a time. */
  licenses: maybe(amounts),
  ahead: maybe(WantAhead),
});
export type Want = z.output<typeof Want>;

export const ExchangeRequest = z.object({
  run_id: integer,
  compute_node_id: id,
  /**
   * The number of this exchange; a runner that does not number its exchanges is not protected from requests that arrive
   * twice.
   */
  turn: maybe(z.int().min(1)),
  /**
   * The runner exits: jobs that are pending in its name and not in `held` become ready again, and no job is assigned.
   */
  is_last: maybe(flag),
  started: maybe(z.array(Start)),
  completed: maybe(z.array(Completion)),
  retried: maybe(z.array(Retried)),
  /** Jobs that were assigned and that the runner returns without starting them. */
  returned: maybe(z.array(id)),
  /**
   * After an exchange without a reply: every job that the runner holds. Other jobs that are pending in its name become
   * ready again.
   */
  held: maybe(z.array(id)),
  want: maybe(Want),
  /** Only jobs of this choice (`PlanUpdate`) are assigned. */
  choice: maybe(integer),
  /** The first exchange of a runner: the reply has what it needs to know of the workflow once. */
  setup: maybe(flag),
  /** The runner can cancel allocations of the workflow in Slurm. */
  cancels_allocations: maybe(flag),
  /** The runner deletes temporary files that are not needed any more. */
  deletes_files: maybe(flag),
});
export type ExchangeRequest = z.output<typeof ExchangeRequest>;

/** The requirements of a job, in numbers. */
export const Need = z.object({
  num_cpus: integer,
  memory_bytes: integer,
  num_gpus: integer,
  num_nodes: integer,
  runtime_seconds: integer,
  /** What the job holds of named limits, its own and of its requirements; absent if nothing. */
  licenses: maybe(amounts),
});
export type Need = z.output<typeof Need>;

/** An output of a claimed job; flags are absent where they are false. `is_made`: an earlier attempt of the job made it. */
const ClaimedOutput = z.object({
  id,
  path: text,
  temporary: maybe(flag),
  protected: maybe(flag),
  is_made: maybe(flag),
});

/** A job as assigned to a runner, with all fields that the runner would otherwise have to request. */
export const ClaimedJob = Job.extend({
  id,
  attempt_id: integer,
  need: Need,
  output_files: maybe(z.array(ClaimedOutput)),
  /** Absent where the inputs of the jobs of one reply are too many: then no attempt says how it found them. */
  input_files: maybe(z.array(z.object({ id, path: text }))),
});
export type ClaimedJob = z.output<typeof ClaimedJob>;

/** A job that is claimed ahead: the runner starts it when all of `waits_for` have completed there, and not before. */
export const AheadJob = ClaimedJob.extend({ waits_for: z.array(id) });
export type AheadJob = z.output<typeof AheadJob>;

/**
 * Jobs that wait only for jobs which the runner holds.
 *
 * `rest` are held jobs whose dependents were not looked at because `limit` was reached: the runner may name them in its
 * next `after`. `settled` are held jobs all of whose dependents the runner holds: their end makes no other job ready.
 */
export const Ahead = z.object({ jobs: z.array(AheadJob), rest: z.array(id), settled: z.array(id) });
export type Ahead = z.output<typeof Ahead>;

/** What a runner needs to know of its workflow once, before its first job. */
export const RunnerSetup = z.object({
  /** The requirements of jobs that name none. */
  default_requirements_id: maybe(id),
  has_actions: flag,
  /** Absent if there are too many for one reply: they are listed by their own route. */
  failure_handlers: maybe(z.array(FailureHandler)),
});
export type RunnerSetup = z.output<typeof RunnerSetup>;

/** One attempt of a job, as its runner knows it. */
export const HeldAttempt = z.object({ job_id: id, attempt_id: integer });
export type HeldAttempt = z.output<typeof HeldAttempt>;

const choiceStates = ['complete', 'under_way', 'waiting'] as const;
export type ChoiceState = (typeof choiceStates)[number];

export const ExchangeReply = z.object({
  jobs: z.array(ClaimedJob),
  /** Absent when none was wanted. */
  ahead: maybe(Ahead),
  errors: z.array(JobCompletionError),
  jobs_by_status: JobStatusCounts,
  is_complete: flag,
  is_canceled: flag,
  /**
   * How the jobs of the choice stand: all have ended, some are ready or with a runner, or those that are left wait for others. Absent
   * unless the request names a choice.
   */
  choice_state: maybe(z.enum(choiceStates)),
  /** True while the server still releases jobs that wait for ended ones: blocked jobs may become ready at any time. */
  is_releasing: maybe(flag),
  /** The last change that the reply includes: the runner can ignore events up to this id. */
  change_id: integer,
  /** True when the node was deregistered or reported lost: the runner no longer takes part in the workflow. */
  is_deregistered: maybe(flag),
  /** Attempts that the runner holds and whose jobs were canceled or reset: it ends them. Absent if there are none. */
  end_attempts: maybe(z.array(HeldAttempt)),
  /** Actions of jobs that are due and not claimed; absent if there are none. */
  due_actions: maybe(z.array(id)),
  /** Limits that keep ready jobs of the workflow from this runner until other jobs have ended; absent if there are none. */
  waiting_limits: maybe(z.array(LimitInUse)),
  /** Only if the request asked for it. */
  setup: maybe(RunnerSetup),
  /**
   * No work is left or to come for some queued allocations, and this runner is to cancel them. One runner is asked at a
   * time, and only if it can.
   */
  has_unneeded_allocations: maybe(flag),
  /** Temporary files can be deleted: the runner takes them by the route of removals. Only if it deletes files. */
  has_files_to_remove: maybe(flag),
});
export type ExchangeReply = z.output<typeof ExchangeReply>;

/**
 * The last exchange of a runner that is proven lost, sent by another program on its host.
 *
 * `started`, `completed` and `retried` come from its ledger. Jobs that it started and did not complete run again as a
 * new attempt; jobs that it never started become ready again in the same attempt. Without a ledger (`started` absent)
 * all jobs that it held count as started, because any of them may have started.
 */
export const LostRunner = z.object({
  run_id: integer,
  started: maybe(z.array(z.object({ job_id: id, attempt_id: integer }))),
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
  /** Actions that it had claimed: another runner executes them, or they are interrupted. Absent if there are none. */
  actions_armed: maybe(z.array(id)),
  actions_interrupted: maybe(z.array(id)),
});
export type LostRunnerReply = z.output<typeof LostRunnerReply>;
