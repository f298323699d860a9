import * as z from 'zod';
import { jobStatus } from './job.ts';
import { id, maybe } from './shape.ts';

/** How one attempt of a job in one run of its workflow ended. There is one for each (job, run, attempt). */
export const Result = z.object({
  id: maybe(id),
  job_id: id,
  job_name: maybe(z.string()),
  workflow_id: id,
  run_id: z.int(),
  attempt_id: maybe(z.int()),
  compute_node_id: id,
  return_code: z.int(),
  exec_time_minutes: z.number(),
  completion_time: z.string(),
  status: jobStatus,
  peak_memory_bytes: maybe(z.int()),
  avg_memory_bytes: maybe(z.int()),
  peak_cpu_percent: maybe(z.number()),
  avg_cpu_percent: maybe(z.number()),
});
export type Result = z.output<typeof Result>;

/** One entry of a batch of completions, as runners and journals report them. */
export const JobCompletion = z.object({ job_id: id, status: jobStatus, run_id: z.int(), result: Result });
export type JobCompletion = z.output<typeof JobCompletion>;

/** An entry that was refused; `code` is a refusal's. */
export const JobCompletionError = z.object({ job_id: id, message: z.string(), code: z.string().optional() });
export type JobCompletionError = z.output<typeof JobCompletionError>;
