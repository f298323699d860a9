import * as z from 'zod';
import { causeCode } from './cause-code.ts';
import { jobStatus } from './job.ts';
import { flag, id, integer, maybe, number, text } from './shape.ts';

/** What a page shows of workflows, in replies whose size does not grow with the number of jobs. */

/** Jobs by status; statuses without jobs are left out. */
const someCounts = z.partialRecord(jobStatus, integer);

export const WorkflowOverview = z.object({
  id,
  name: text,
  user: text,
  project: maybe(text),
  timestamp: text,
  run_id: integer,
  is_canceled: flag,
  is_archived: flag,
  total_jobs: integer,
  jobs_by_status: someCounts,
  active_compute_nodes: integer,
});
export type WorkflowOverview = z.output<typeof WorkflowOverview>;

/** Jobs whose names are the same without numbers, and whose dependencies are. */
export const JobFamily = z.object({
  /** The same while its jobs come and go. */
  key: text,
  /** The name of its jobs with `#` for numbers; the name of its only job. */
  name: text,
  first_job_id: id,
  jobs: integer,
  jobs_by_status: someCounts,
});
export type JobFamily = z.output<typeof JobFamily>;

/** The families with the most jobs, in the order of their first jobs, and the dependencies between them. */
export const WorkflowGraph = z.object({
  families: z.array(JobFamily),
  /** `to` depends on `from`; `dependencies` counts pairs of jobs. */
  edges: z.array(z.object({ from: text, to: text, dependencies: integer })),
  families_left_out: integer,
  jobs_left_out: integer,
});
export type WorkflowGraph = z.output<typeof WorkflowGraph>;

export const FamilyJobs = z.object({
  items: z.array(
    z.object({
      id,
      name: text,
      status: jobStatus,
      attempt_id: integer,
      /** Of its current result, if it has one. */
      return_code: maybe(integer),
      seconds: maybe(number),
      peak_memory_bytes: maybe(integer),
    }),
  ),
  has_more: flag,
});
export type FamilyJobs = z.output<typeof FamilyJobs>;

/** Jobs that run now, by id. */
export const RunningNow = z.object({
  items: z.array(z.object({ job_id: id, job_name: text, compute_node_name: maybe(text), start_time: maybe(text) })),
  has_more: flag,
});

const overTime = {
  /** The average number of running attempts. */
  running: z.array(number),
  /** Attempts that ended, failed ones included. */
  ended: z.array(integer),
  failed: z.array(integer),
};

/** The attempts of a family of jobs, or of a runner. */
export const TimelineBand = z.object({
  /** The key of the family or the id of the runner; absent for all bands that are left out, as one. */
  key: maybe(text),
  name: text,
  /** Those that overlap the time; `retries` are those of them that are not the first of their job. */
  attempts: integer,
  retries: integer,
  ...overTime,
});
export type TimelineBand = z.output<typeof TimelineBand>;

export const TimelineAttempt = z.object({
  job_id: id,
  job_name: text,
  attempt_id: integer,
  /** The band that it is part of; absent for a band that is left out. */
  band: maybe(text),
  start: text,
  /** Absent while it runs. */
  end: maybe(text),
  status: jobStatus,
  return_code: maybe(integer),
  cause: maybe(text),
  cause_code: maybe(causeCode),
  compute_node_id: maybe(id),
  compute_node_name: maybe(text),
});
export type TimelineAttempt = z.output<typeof TimelineAttempt>;

/** Attempts of the current run over time, in equal parts. The lists are empty before the first attempt. */
export const WorkflowTimeline = z.object({
  from: maybe(text),
  bin_seconds: number,
  ...overTime,
  /** The first start of the run, and its last end; of a run that goes on, when it was looked at. */
  run_from: maybe(text),
  run_to: maybe(text),
  /** With `by`: those with the most running time, in the order of the graph or of the runners' ids. */
  bands: maybe(z.array(TimelineBand)),
  bands_left_out: maybe(integer),
  /** With `attempts`, if no more overlap the time: by start. */
  attempts: maybe(z.array(TimelineAttempt)),
});
export type WorkflowTimeline = z.output<typeof WorkflowTimeline>;

/** Jobs whose current results have the same status, return code and cause, but for numbers in the cause. */
export const FailureGroup = z.object({
  status: jobStatus,
  return_code: integer,
  cause: maybe(text),
  cause_code: maybe(causeCode),
  jobs: integer,
  /** The first of them. */
  first: z.array(z.object({ job_id: id, job_name: text, run_id: integer, attempt_id: integer })),
});
export type FailureGroup = z.output<typeof FailureGroup>;

/** The groups with the most jobs. */
export const FailureGroups = z.object({ groups: z.array(FailureGroup), groups_left_out: integer });
export type FailureGroups = z.output<typeof FailureGroups>;

/** What jobs used that share requirements. The greatest values are absent where nothing was measured. */
const Suggestion = z.object({
  direction: z.enum(['upscale', 'downscale']),
  /** The names of the jobs that need it, with `#` for numbers, where others that share the requirements do not. */
  only_family: maybe(text),
  num_cpus: maybe(integer),
  memory: maybe(text),
  runtime: maybe(text),
});
export type ResourceSuggestion = z.output<typeof Suggestion>;

export const ResourceUseClass = z.object({
  resource_requirements_id: id,
  name: text,
  num_cpus: integer,
  num_gpus: integer,
  memory: text,
  runtime: text,
  jobs: integer,
  /** Jobs that have a result in the current run. */
  ended: integer,
  /** Those of them that lacked memory, CPUs or time. */
  lacking: integer,
  peak_memory_bytes: maybe(integer),
  /** 100 is one core. */
  peak_cpu_percent: maybe(number),
  longest_seconds: maybe(number),
  /** Of the job that had most memory on GPUs, and what its cards have. */
  peak_gpu_memory_bytes: maybe(integer),
  gpu_memory_bytes: maybe(integer),
  /** What `torc workflows correct-resources` would change; absent if it would change nothing. */
  suggestion: maybe(Suggestion),
  /** Where it splits the requirements: what it changes for each part of the jobs. The first one is `suggestion` too. */
  suggestions: maybe(z.array(Suggestion)),
  most_memory: z.array(z.object({ job_id: id, job_name: text, peak_memory_bytes: integer })),
});
export type ResourceUseClass = z.output<typeof ResourceUseClass>;

/** The requirements that most jobs share. */
export const ResourceUse = z.object({ classes: z.array(ResourceUseClass), classes_left_out: integer });
export type ResourceUse = z.output<typeof ResourceUse>;

export const NODE_MEASURES = ['cpu', 'memory', 'gpu'] as const;

/** What the jobs of the current run took of each node over time, as they asked for it, in equal parts of the time. */
export const NodeUse = z.object({
  measure: z.enum(NODE_MEASURES),
  from: maybe(text),
  bin_seconds: z.number(),
  nodes: z.array(
    z.object({
      hostname: text,
      /** CPUs, bytes of memory or GPUs of the largest runner there. */
      capacity: z.number(),
      runners: z.int(),
      attempts: z.int(),
      /** 1 is all of it; more where runners count jobs only. Null while no runner worked there. */
      share: z.array(z.number().nullable()),
    }),
  ),
  nodes_left_out: z.int(),
});
export type NodeUse = z.output<typeof NodeUse>;

/** One attempt of a job: `no_result` is known by its number alone. */
export const AttemptOfJob = z.object({
  kind: z.enum(['ended', 'runs', 'no_result']),
  run_id: maybe(integer),
  attempt_id: integer,
  status: maybe(jobStatus),
  return_code: maybe(integer),
  started_at: maybe(text),
  ended_at: maybe(text),
  seconds: maybe(number),
  compute_node_id: maybe(id),
  hostname: maybe(text),
  cause_code: maybe(causeCode),
  /** A sentence: why it ended, and what the next one got, where that is recorded. */
  why: maybe(text),
});
export type AttemptOfJob = z.output<typeof AttemptOfJob>;

/** Why a job waits, or why it ended as it did: as `torc jobs explain` says it, as far as the server knows. */
export const JobExplanation = z.object({
  job_id: id,
  kind: z.enum(['waits', 'runs', 'ended']),
  /** Continues a sentence that begins with the job. */
  headline: text,
  /** `job_id` is another job that the reason names. */
  reasons: z.array(z.object({ code: text, message: text, job_id: maybe(id) })),
  reasons_left_out: z.int(),
  /** Commands and sentences with commands, the most likely step first. */
  next: z.array(text),
  /** Of all runs, in order; of many the last ones. */
  attempts: z.array(AttemptOfJob),
  attempts_left_out: z.int(),
  /** What a command on the machine of the user adds, because a server starts no program. */
  unknown: maybe(text),
});
export type JobExplanation = z.output<typeof JobExplanation>;

/** Running jobs of a workflow by the runner that has them and by what they asked for. */
export const RunnerUse = z.array(z.object({ compute_node_id: id, resource_requirements_id: id, jobs: z.int() }));
export type RunnerUse = z.output<typeof RunnerUse>;

/**
 * What the runner of an attempt saw of it over time, as columns, or where its file is. At most 500 points: of more samples each point
 * is a part of the time, with its mean CPU and its greatest memory.
 */
export const JobSamples = z.object({
  job_id: id,
  run_id: z.int(),
  attempt_id: z.int(),
  /** The node that ran the attempt, and the path there; absent if the server does not know them. */
  hostname: maybe(text),
  path: maybe(text),
  /** Draws the file, on that node or where its file system is shared. */
  command: text,
  /** Between two samples, and of an attempt that runs between two times at which its runner writes them. */
  interval_seconds: z.number(),
  written_every_seconds: maybe(z.number()),
  /** Absent if the server did not read the file; then `reason` says why. */
  samples: maybe(z.int()),
  at_ms: maybe(z.array(z.int())),
  /** 100 is one core. */
  cpu_percent: maybe(z.array(z.number())),
  memory_bytes: maybe(z.array(z.int())),
  num_processes: maybe(z.array(z.int())),
  reason: maybe(text),
});
export type JobSamples = z.output<typeof JobSamples>;

/** The end of what an attempt wrote, or where it is. */
export const OutputTail = z.object({
  job_id: id,
  run_id: integer,
  attempt_id: integer,
  /** The node that ran the attempt, and the path there; absent if the server does not know them. */
  hostname: maybe(text),
  path: maybe(text),
  /** Prints the whole output, on that node or where its file system is shared. */
  command: text,
  /** Absent if the server did not read the file; then `reason` says why. */
  lines: maybe(z.array(z.string())),
  /** Bytes of the file. */
  size_bytes: maybe(integer),
  /** The file has lines before these. */
  has_more: maybe(flag),
  reason: maybe(text),
});
export type OutputTail = z.output<typeof OutputTail>;
