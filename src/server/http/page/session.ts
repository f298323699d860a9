import type { Context, Hono } from 'hono';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { LoginCheck } from '../../access/login.ts';
import type { Sessions } from '../../access/sessions.ts';
import type { Caller } from '../../caller.ts';
import { type Answers, senderOf } from '../answers.ts';
import { headersFor, JSON_TYPE } from '../headers.ts';

/** The header with the key of a session. Pages of other origins cannot set it. */
export const KEY_HEADER = 'X-Torc-Page';

/** One name for each port of a host, because they share cookies. */
function cookieName(context: Context<Answers>): string {
  return `torc_page_${/:(\d+)$/.exec(context.req.header('host') ?? '')?.[1] ?? 'default'}`;
}

function cookieOf(context: Context<Answers>): string | undefined {
  const name = `${cookieName(context)}=`;
  const cookies = (context.req.header('cookie') ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(name))?.slice(name.length);
}

/** The caller of a request of a page with a session. */
export function callerOfSession(context: Context<Answers>, sessions: Sessions): Caller | undefined {
  const key = context.req.header(KEY_HEADER);
  const cookie = key === undefined ? undefined : cookieOf(context);
  return key === undefined || cookie === undefined ? undefined : sessions.callerOf(cookie, key);
}

/** Whether the session of this request is still open, for what goes on for longer than a request; true for one without a session. */
export function heldSession(context: Context<Answers>, sessions: Sessions): () => boolean {
  const [key, cookie] = [context.req.header(KEY_HEADER), cookieOf(context)];
  if (key === undefined || cookie === undefined || sessions.callerOf(cookie, key) === undefined) return () => true;
  return () => sessions.callerOf(cookie, key) !== undefined;
}

/**
 * Begins and ends sessions of pages: for a start token, or for a login as other requests have it.
 *
 * The cookie has no path: then it is the folder of this route, which is that of all routes, below any prefix of a proxy.
 */
export function serveSessions(app: Hono<Answers>, login: LoginCheck, sessions: Sessions): void {
  app.post('/page_session', async (context) => {
    // Without it, a form of another page could log its user in as another user.
    if (context.req.header(KEY_HEADER) === undefined) throw refused();
    const authorization = context.req.header('authorization');
    const token = /^bearer (.*)$/i.exec(authorization ?? '')?.[1];
    const caller =
      (token === undefined ? undefined : sessions.redeem(token)) ??
      ownLogin(login, await login.callerOf(authorization, senderOf(context)));
    if (caller === undefined) throw refused();
    const { cookie, key } = sessions.begin(caller);
    const isSecure = (context.req.header('origin') ?? '').startsWith('https:');
    return context.body(JSON.stringify({ key, ...(caller.user === undefined ? {} : { user: caller.user }) }), 200, {
      ...headersFor(context, JSON_TYPE),
      'Cache-Control': 'no-store',
      'Set-Cookie': `${cookieName(context)}=${cookie}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
    });
  });
  app.delete('/page_session', (context) => {
    const cookie = cookieOf(context);
    if (cookie !== undefined && callerOfSession(context, sessions) !== undefined) sessions.end(cookie);
    return context.body('{}', 200, {
      ...headersFor(context, JSON_TYPE),
      'Set-Cookie': `${cookieName(context)}=; HttpOnly; SameSite=Strict; Max-Age=0`,
    });
  });
}

/** A login that was accepted: not that of a job, and not that of an anonymous user, unless the server has a credential instead of users. */
const ownLogin = (login: LoginCheck, caller: Caller | undefined): Caller | undefined =>
  caller !== undefined && caller.jobsOf === undefined && (caller.user !== undefined || login.isCredential === true)
    ? caller
    : undefined;

const refused = () => new Refusal('LOGIN_REFUSED', 'the server does not accept this login');
