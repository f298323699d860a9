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

/** Who gets a reply. */
export interface ReplyReceiver {
  isGone(): boolean;
  /** Calls `act` when it has its reply or left. */
  whenGone(act: () => void): void;
  /** Ends its connection. */
  cut(): void;
  /** Who it is and what it asked, for the log. */
  facts(): Readonly<Record<string, unknown>>;
}

/** The server itself, which reads its reply at once. */
export const SERVER_ITSELF: ReplyReceiver = { isGone: () => false, whenGone() {}, cut() {}, facts: () => ({}) };

export const clientOf = (context: Context<Answers>): ReplyReceiver => {
  const { incoming, outgoing } = context.env ?? {};
  return incoming === undefined || outgoing === undefined ? SERVER_ITSELF : clientAt(incoming, outgoing);
};

export function clientAt(incoming: HttpBindings['incoming'], outgoing: HttpBindings['outgoing']): ReplyReceiver {
  const { socket, url = '' } = incoming;
  return {
    isGone: () => socket.destroyed || outgoing.destroyed,
    whenGone: (act) => void outgoing.once('close', act),
    cut: () => void socket.destroy(),
    facts: () => ({ path: url.split('?', 1)[0], address: socket.remoteAddress }),
  };
}
