import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import type { Login } from '../access/login.ts';
import { ANONYMOUS, type Caller } from '../store/caller.ts';
import { note } from './watch.ts';

/** What is kept of a request while it is answered. */
export interface Answers {
  Bindings: Partial<HttpBindings>;
  Variables: { caller?: Caller };
}

export const callerOf = (context: Context<Answers>): Caller => context.get('caller') ?? ANONYMOUS;

/** Answers 401 to whom the login does not take, and keeps who the others are. */
export function identify(login: Login): MiddlewareHandler<Answers> {
  return async (context, next) => {
    const found = login.callerOf(context.req.header('authorization'));
    const caller = found instanceof Promise ? await found : found;
    if (caller !== undefined) {
      context.set('caller', caller);
      if (caller.user !== undefined) note(context.env?.incoming, { user: caller.user });
      return next();
    }
    context.header('WWW-Authenticate', 'Basic realm="Torc"');
    return context.text('Unauthorized', 401);
  };
}
