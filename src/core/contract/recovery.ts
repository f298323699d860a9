import * as z from 'zod';
import { text } from './shape.ts';

/** A command asks for the lease, or renews it. `token` is random; `holder` names the command to people. */
export const RecoveryLeaseRequest = z.object({
  token: text,
  holder: text,
  seconds: z.int().min(1).max(600),
});

/** Whether the command has the lease; if not, who has it and for how long. */
export const RecoveryLease = z.object({ granted: z.boolean(), holder: text, seconds_left: z.number() });
export type RecoveryLease = z.output<typeof RecoveryLease>;
