import type { ServerResponse } from 'node:http';
import type { Refusal } from '../core/contract/refusals.ts';

/** Replies of this program itself. */
export function answerJson(outgoing: ServerResponse, status: number, body: object): void {
  outgoing
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body));
}

export const answerRefusal = (outgoing: ServerResponse, { status, message, code, remedy }: Refusal): void =>
  answerJson(outgoing, status, { error: { message, code, remedy } });
