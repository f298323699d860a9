import type { MiddlewareHandler } from 'hono';
import type { Login } from '../access/login.ts';
import type { Answers } from './answers.ts';
import { headersFor } from './headers.ts';
import { note } from './watch.ts';

/** Answers 401 to requests that the login refuses, and stores the user of the others. */
export function identify(login: Login): MiddlewareHandler<Answers> {
  return async (context, next) => {
    const socket = context.env?.incoming?.socket;
    const found = login.callerOf(
      context.req.header('authorization'),
      socket && { address: socket.remoteAddress ?? '', isGone: () => socket.destroyed || !socket.writable },
    );
    const caller = found instanceof Promise ? await found : found;
    if (caller !== undefined) {
      context.set('caller', caller);
      if (caller.user !== undefined) note(context.env?.incoming, { user: caller.user });
      return next();
    }
    return context.body('Unauthorized', 401, {
      ...headersFor(context, 'text/plain; charset=UTF-8'),
      'WWW-Authenticate': 'Basic realm="Torc"',
    });
  };
}
