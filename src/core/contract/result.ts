import * as z from 'zod';
import { causeCode, handlerLimit } from './cause-code.ts';
import { jobStatus } from './job.ts';
import { flag, id, integer, maybe, number, stored, text } from './shape.ts';

/**
 * Duration of an attempt in minutes; negative if the clock was set back. The limit of two thousand years keeps the sum
 * over a million jobs finite, because infinity is not JSON.
 */
export const execMinutes = z.number().min(-1e9).max(1e9);

/** What an attempt used, and why it ended. */
export const endOfAttempt = {
  peak_memory_bytes: maybe(integer),
  avg_memory_bytes: maybe(integer),
  peak_cpu_percent: maybe(number),
  avg_cpu_percent: maybe(number),
  /** additions: the most memory that it had on GPUs at once, and that of the GPUs on which it was seen. */
  peak_gpu_memory_bytes: maybe(integer),
  gpu_memory_bytes: maybe(integer),
  /** addition: the power that these GPUs drew on average, its part of those that other attempts used, too. */
  avg_gpu_watts: maybe(number),
  /** addition: why the attempt ended, where the return code does not say it: `allocation 7 ended NODE_FAIL`. */
  cause: maybe(text),
  /** addition: what ended it, where something proves it. */
  cause_code: maybe(causeCode),
  /** addition: why its failure handler gives it no more memory or time. */
  handler_limit: maybe(handlerLimit),
};

/** How one attempt of a job in one run of its workflow ended. There is one for each (job, run, attempt). */
export const NewResult = z.object({
  id: maybe(id),
  job_id: id,
  job_name: maybe(text),
  workflow_id: id,
  run_id: integer,
  attempt_id: maybe(integer),
  compute_node_id: id,
  return_code: integer,
  exec_time_minutes: execMinutes,
  completion_time: text,
  status: jobStatus,
  ...endOfAttempt,
});
export type NewResult = z.output<typeof NewResult>;
export const Result = stored(NewResult);
export type Result = z.output<typeof Result>;

/**
 * Outputs of an attempt, by the ids of their files, with their times in seconds. `made_mtime` and `made_size` are absent where the
 * attempt did not write the file, or that is not known. They are those of the file or the link itself, and of a folder the last time
 * and the bytes of what is in it. `was_there`: a folder that the attempt found.
 */
export const OutputTimes = z.array(
  z.object({ id, st_mtime: number, made_mtime: maybe(number), made_size: maybe(integer), was_there: maybe(flag) }),
);
export type OutputTimes = z.output<typeof OutputTimes>;

/** Inputs as an attempt found them when it began, by the ids of their files: times in seconds, sizes in bytes. */
export const InputStamps = z.array(
  z.object({
    id,
    st_mtime: number,
    st_size: integer,
    /** SHA-256 in hexadecimal, where contents are compared. */
    hash: text.optional(),
  }),
);
export type InputStamps = z.output<typeof InputStamps>;

/** One entry of a batch of completions, as runners and journals report them; `files` and `inputs` are additions. */
export const JobCompletion = z.object({
  job_id: id,
  status: jobStatus,
  run_id: integer,
  result: NewResult,
  files: maybe(OutputTimes),
  inputs: maybe(InputStamps),
});
export type JobCompletion = z.output<typeof JobCompletion>;

/** A refused entry; `code` is the code of a refusal. */
export const JobCompletionError = z.object({ job_id: id, message: text, code: text.optional() });
export type JobCompletionError = z.output<typeof JobCompletionError>;
