import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Sender } from '../access/login.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';

/** The data of a request while it is answered. */
export interface Answers {
  /** `caller`: of a request that the server sends to itself; one from a network has none. */
  Bindings: Partial<HttpBindings> & { readonly caller?: Caller };
  Variables: { caller?: Caller };
}

export const callerOf = (context: Context<Answers>): Caller => context.get('caller') ?? ANONYMOUS;

/** The connection of a request, for the order of logins. */
export function senderOf(context: Context<Answers>): Sender | undefined {
  const socket = context.env?.incoming?.socket;
  return socket && { address: socket.remoteAddress ?? '', isGone: () => socket.destroyed || !socket.writable };
}
