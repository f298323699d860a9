import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Lets only requests in that carry the credential: as a bearer token, or as the password of a Basic login. */
export function guard(credential: string): MiddlewareHandler {
  const expected = digest(credential);
  return async (context, next) => {
    const presented = presentedBy(context.req.header('authorization'));
    if (presented !== undefined && timingSafeEqual(digest(presented), expected)) return next();
    context.header('WWW-Authenticate', 'Basic realm="Torc"');
    return context.text('Unauthorized', 401);
  };
}

function presentedBy(header: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (header ?? '').split(' ', 2);
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const login = Buffer.from(value, 'base64').toString('utf8');
  return login.slice(login.indexOf(':') + 1);
}
