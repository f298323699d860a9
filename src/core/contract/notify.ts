import * as z from 'zod';
import { triggers } from './notify-triggers.ts';
import { flag, id, integer, json, maybe, number, text } from './shape.ts';

/** A receiver that a command sends to, as far as the server must know it: no address and no secret (addition). */
export const MessageClaim = z.object({
  receiver: text,
  /** A hash of its kind and address: the server compares it with a receiver of its own, and does not store it. */
  fingerprint: text,
  on: z.array(z.enum(triggers)),
  ends_only_bad: flag,
  knows_repeats: flag,
  fail_percent: number,
  time_percent: number,
  silent_seconds: number,
  budget_core_hours: maybe(number),
  /** Changes up to this id were looked at before; absent at first. */
  after: maybe(integer),
  /** The command ends, so that what waits does not go on by itself. */
  is_last: maybe(flag),
});
export type MessageClaim = z.output<typeof MessageClaim>;

/** A message that a command sends now. */
const ClaimedMessage = z.object({ id, key: text, digest: json });

export const ClaimedMessages = z.object({
  /** `server`: the server sends to this receiver itself. */
  sender: z.enum(['server', 'command']),
  messages: z.array(ClaimedMessage),
  after: integer,
});
export type ClaimedMessages = z.output<typeof ClaimedMessages>;

/** What became of an attempt to send a message. */
export const MessageEnd = z.object({
  outcome: z.enum(['sent', 'later', 'never']),
  why: maybe(text),
});

/** A message of a workflow, as it is listed. */
export const StoredMessage = z.object({
  id,
  run_id: integer,
  trigger: z.enum(triggers),
  receiver: text,
  state: z.enum(['waiting', 'due', 'sending', 'sent', 'covered', 'failed']),
  attempts: integer,
  due_at: text,
  ended_at: maybe(text),
  problem: maybe(text),
});
export type StoredMessage = z.output<typeof StoredMessage>;
