import * as z from 'zod';
import { flag, id, integer, maybe, number, queryFlag, queryNumber, text } from './shape.ts';

/** The identity of the process that has a lease: on its machine, another process can prove that it has ended. */
const LeaseProcess = z.object({
  pid: integer,
  boot_id: text,
  pid_namespace: text,
  start_ticks: integer,
  machine_id: maybe(text),
  hardware_ids: maybe(z.array(text)),
});

/**
 * A command asks for the lease, or renews it. `token` is random; `holder` names the command to people. `instead_of` is the
 * process that has the lease and was proven to have ended: the lease is taken from it.
 */
export const RecoveryLeaseRequest = z.object({
  token: text,
  holder: text,
  seconds: z.int().min(1).max(600),
  process: maybe(LeaseProcess),
  instead_of: maybe(LeaseProcess),
});

/** Whether the command has the lease; if not, who has it and for how long. */
export const RecoveryLease = z.object({
  granted: flag,
  holder: text,
  seconds_left: number,
  process: LeaseProcess.optional(),
});
export type RecoveryLease = z.output<typeof RecoveryLease>;

const factor = queryNumber.pipe(z.number().gt(0).max(100)).optional();

/** What a user decides about a recovery; the defaults are those of `torc recover`. */
export const RecoveryPolicy = z.object({
  memory_multiplier: factor,
  runtime_multiplier: factor,
  retry_unknown: queryFlag.optional(),
});
export type RecoveryPolicy = z.output<typeof RecoveryPolicy>;

/** The same, and how many jobs the plan had that the user has seen: another plan is refused. */
export const RecoveryRequest = z.object({
  memory_multiplier: maybe(z.number().gt(0).max(100)),
  runtime_multiplier: maybe(z.number().gt(0).max(100)),
  retry_unknown: maybe(flag),
  jobs_again: z.int().min(0),
});
export type RecoveryRequest = z.output<typeof RecoveryRequest>;

const changed = <S extends z.ZodType>(shape: S) => maybe(z.object({ before: shape, after: shape }));

export const RecoveryPlan = z.object({
  workflow_id: id,
  /** Why jobs did not end well, with the first of them. */
  causes: z.array(
    z.object({
      cause: text,
      words: text,
      jobs: integer,
      runs_again: flag,
      first: z.array(z.object({ job_id: id, job_name: text, detail: text })),
    }),
  ),
  /** Requirements that are raised, for all jobs that share them. */
  changes: z.array(
    z.object({
      resource_requirements_id: id,
      name: text,
      /** The jobs that lacked something. */
      jobs: integer,
      memory: changed(text),
      num_cpus: changed(integer),
      runtime: changed(text),
    }),
  ),
  jobs_again: integer,
  /** Jobs that stay as they are, because the same would happen again. */
  jobs_left: integer,
  /** Jobs that wait, and for which nothing is alive. */
  jobs_waiting: integer,
  /** Why only a command can carry it out; absent if this server can. */
  needs_command: maybe(text),
  command: text,
  /** The command that runs the jobs afterwards. */
  next: maybe(text),
});
export type RecoveryPlan = z.output<typeof RecoveryPlan>;
