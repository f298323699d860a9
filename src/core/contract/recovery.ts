import * as z from 'zod';
import { maybe, text } from './shape.ts';

/** The identity of the process that has a lease: on its machine, another process can prove that it has ended. */
const LeaseProcess = z.object({
  pid: z.int(),
  boot_id: text,
  pid_namespace: text,
  start_ticks: z.int(),
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
  granted: z.boolean(),
  holder: text,
  seconds_left: z.number(),
  process: LeaseProcess.optional(),
});
export type RecoveryLease = z.output<typeof RecoveryLease>;
