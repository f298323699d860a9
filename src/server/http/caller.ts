import type { MiddlewareHandler } from 'hono';
import type { LoginCheck } from '../access/login.ts';
import type { Sessions } from '../access/sessions.ts';
import { type Answers, senderOf } from './answers.ts';
import { headersFor } from './headers.ts';
import { callerOfSession, KEY_HEADER } from './page/session.ts';
import { respond } from './reply.ts';
import { note } from './watch.ts';

/** Answers 401 to requests that the login refuses, and stores the user of the others. */
export function identify(login: LoginCheck, sessions: Sessions): MiddlewareHandler<Answers> {
  return async (context, next) => {
    if (context.env?.caller !== undefined) {
      context.set('caller', context.env.caller);
      return next();
    }
    const authorization = context.req.header('authorization');
    const ofSession = authorization === undefined ? callerOfSession(context, sessions) : undefined;
    const found = ofSession ?? login.callerOf(authorization, senderOf(context));
    const caller = found instanceof Promise ? await found : found;
    if (caller !== undefined) {
      context.set('caller', caller);
      if (caller.user !== undefined) note(context.env?.incoming, { user: caller.user });
      return next();
    }
    // A page has a form of its own for the login; with this header the browser would open another one.
    const isPage = context.req.header(KEY_HEADER) !== undefined;
    return respond('Unauthorized', 401, {
      ...headersFor(context, 'text/plain; charset=UTF-8'),
      ...(isPage ? {} : { 'www-authenticate': 'Basic realm="Torc"' }),
    });
  };
}
