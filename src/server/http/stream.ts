import type { Context, Hono } from 'hono';
import { type Input, routes, type Routes } from '../../core/contract/routes.ts';
import type { Permissions } from '../caller.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import { eventHeaders } from './headers.ts';
import type { HeldLogins } from './held-login.ts';
import { respond } from './reply.ts';

type StreamRoute = { [N in keyof Routes]: Routes[N]['kind'] extends 'stream' ? N : never }[keyof Routes];

export interface StreamOptions {
  /** Called with the reason when the server ends a stream. */
  readonly onDropped?: ((reason: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
  /** How long a client may leave sent data unread; a test shortens it. */
  readonly stallMs?: number | undefined;
}

/** The client of a stream. */
export interface Viewing {
  /** Whether the caller may still see what is streamed. */
  readonly isWelcome: () => boolean;
  /** Calls `check` when a user may have lost rights or a session. */
  readonly onRightsChanged: (check: () => void) => () => void;
  /** Closes the connection of a client that does not read. */
  readonly cut: () => void;
}

/** The pause after which a comment is sent, so that both sides and the proxies between detect a dead connection. */
export const KEEP_ALIVE_MS = 15_000;
/**
 * How long a client may leave sent data unread. Too short, and a laptop that sleeps for a moment loses its stream; too
 * long, and dead clients use memory and prevent pruning of the log.
 */
export const STALL_MS = 60_000;
/** The time for the last event of a stream before its connection is closed. */
export const CUT_MS = 2_000;

/** Serves a route as Server-Sent Events. The stream ends with the login of its client. */
export function serveStream<N extends StreamRoute>(
  app: Hono<Answers>,
  name: N,
  { permissions, logins }: { readonly permissions: Permissions; readonly logins: HeldLogins },
  open: (input: Input<N>, viewing: Viewing, context: Context<Answers>) => ReadableStream<Uint8Array>,
): void {
  const route = routes[name];
  app.get(route.path.replace('{id}', ':id'), (context) => {
    const input = { ...checkedHead(route, context), body: undefined } as Input<N>;
    const caller = callerOf(context);
    const check = () => permissions.check(name, input, caller);
    check();
    const isLoggedIn = logins.of(context);
    const viewing: Viewing = {
      isWelcome: () => isLoggedIn() && passes(check),
      onRightsChanged: logins.onChange,
      cut: () => void context.env?.outgoing?.destroy(),
    };
    return respond(open(input, viewing, context), 200, eventHeaders(context));
  });
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
