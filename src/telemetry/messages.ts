import { type RefusalCode, refusals } from '../core/contract/refusals.ts';
import type { TelemetryQuestion } from '../core/contract/routes/telemetry.ts';

/** The messages between the server and its thread of telemetry. */

/** Who sends envelopes, as its `Authorization` says. */
export interface Credential {
  /** The user of a login: the name of a cluster. */
  readonly user?: string | undefined;
  readonly secret?: string | undefined;
}

export interface ReceiveTask {
  readonly kind: 'receive';
  /** In blocks. They are removed when they are read for the last time. */
  readonly body: (Uint8Array<ArrayBuffer> | undefined)[];
  readonly credential: Credential;
  readonly origin: string;
}

interface QuestionTask {
  readonly parameters: Readonly<Record<string, string>>;
  /** Only what concerns this user, besides totals of nodes; undefined sees everything. */
  readonly onlyUser: string | undefined;
}

export interface AskTask extends QuestionTask {
  readonly kind: 'ask';
  readonly question: TelemetryQuestion;
}

export interface AskV2Task extends QuestionTask {
  readonly kind: 'ask v2';
  /** Below `/api/v2`. */
  readonly path: string;
}

/** How long samples stay as they are, and how long they are kept at all (0: for ever). */
export interface KeepTask {
  readonly kind: 'keep';
  readonly hotDays: number;
  readonly keptDays: number;
}

export type ReceiverTask = ReceiveTask | AskTask | AskV2Task | KeepTask;

/** A reply: its status, and its body, which is JSON unless it has another type. */
export interface HttpReply {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

export const httpReplyOf = (status: number, body: unknown): HttpReply => ({ status, text: JSON.stringify(body) });

/** As all refusals of the service: with what to do. */
export const refusalOf = (code: RefusalCode, message: string, remedy: string = refusals[code].remedy): HttpReply =>
  httpReplyOf(refusals[code].status, { error: { message, code, remedy } });
