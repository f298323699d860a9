import type { RefusalCode } from '../../../core/contract/refusals.ts';

/** The messages between the server and its thread of telemetry. */

/** Who sends envelopes, as its `Authorization` says. */
export interface Credential {
  /** The user of a login: the name of a cluster. */
  readonly user?: string | undefined;
  readonly secret?: string | undefined;
}

export interface ReceiveTask {
  readonly kind: 'receive';
  readonly body: Uint8Array;
  readonly credential: Credential;
  readonly origin: string;
}

/** Begins a question that is a path below `/api/v2`. */
export const V2 = 'v2 ';

export interface AskTask {
  readonly kind: 'ask';
  readonly question: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Only what concerns this user, besides totals of nodes; undefined sees everything. */
  readonly onlyUser: string | undefined;
}

/** How long samples stay as they are, and how long they are kept at all (0: for ever). */
export interface KeepTask {
  readonly kind: 'keep';
  readonly hotDays: number;
  readonly keptDays: number;
}

export type Task = ReceiveTask | AskTask | KeepTask;

/** A reply: its status, and its body, which is JSON unless it has another type. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

export const replyOf = (status: number, body: unknown): Reply => ({ status, text: JSON.stringify(body) });

/** As all refusals of the service: with what to do. */
export const refusalOf = (status: number, code: RefusalCode, message: string, remedy: string): Reply =>
  replyOf(status, { error: { message, code, remedy } });
