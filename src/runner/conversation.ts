import type { Client } from '../client/client.ts';
import type { ExchangeReply, Want } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { Crew } from './crew.ts';
import type { Log } from './log.ts';
import type { Outage } from './outage.ts';
import type { Outbox } from './outbox.ts';

/** Why a conversation ended. */
export type Over =
  | { readonly kind: 'complete' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'superseded'; readonly reason: string }
  /** The server is away, and nothing runs any more. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It answers out of an older database, and nothing runs any more. */
  | { readonly kind: 'behind'; readonly reason: string };

export interface ConverseOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly nodeId: number;
  readonly crew: Crew;
  readonly outbox: Outbox;
  readonly log: Log;
  /** What the runner has room for: `limit` jobs now and `prefetch` ahead; undefined when it wants none. */
  readonly want: (prefetch: number) => Want | undefined;
  /** How many jobs can run at once at the moment. */
  readonly slots: () => number;
  readonly outage: Outage;
  /** A server that has not answered for so long counts as away, though its answer is still waited for. */
  readonly silentMs: number;
  /** Goes on when the workflow is complete: somebody may add to it. */
  readonly staysWhenComplete: boolean;
  readonly onReply: (reply: ExchangeReply) => void;
  readonly onOver: (over: Over) => void;
}

/**
 * The runner's side of the exchange: at most one is under way, and `pace.ts` says when the next one is due.
 *
 * A turn that got no answer is told again, with the list of everything that is held, so that jobs whose handing out was
 * lost with the answer are handed out again. Before that, as after every break in the line, a turn that tells and wants
 * nothing finds out whether the database is still the one that it was: an older one must not swallow what the runner
 * tells, nor hand out what it holds.
 */
export interface Conversation {
  /** Something may have become ready: by a change that the server told of, unless its last answer knew of that already. */
  hope(changeId?: number): void;
  /** The workflow may have changed as a whole: asks the server, even when there is no news and no room for a job. */
  ask(changeId?: number): void;
  ended(count: number): void;
  /** The line broke: the server may be another one from here on. */
  lineBroke(): void;
  /** The line stands again, so somebody is there. */
  lineStands(): void;
  /** Ends it without waiting for the server any longer. */
  giveUp(): void;
  /** Looks whether an exchange is due. */
  consider(): void;
  /** Tells everything that is left; false when the server could not be reached. */
  settle(): Promise<boolean>;
  /** When the last job was handed out or ended, on the monotonic clock. */
  readonly lastProgress: number;
  readonly rate: number;
  readonly counts: JobStatusCounts | undefined;
  close(): void;
}
