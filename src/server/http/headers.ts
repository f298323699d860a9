import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Answers } from './answers.ts';
import { note } from './watch.ts';

/**
 * The headers of every reply: a request id for logs, the client's own if it sent one, and instructions for browsers.
 *
 * They are set in the reply itself: a middleware that adds headers costs each request 4 µs.
 */
export const headersFor = (context: Context<Answers>, type: string): Record<string, string> =>
  answerHeaders(context.env?.incoming, context.req.header('x-span-id'), type);

/** The same for a reply without a route. In lower case, as all replies have them on the wire. */
export function answerHeaders(
  incoming: IncomingMessage | undefined,
  given: string | string[] | undefined,
  type: string,
): Record<string, string> {
  const name = typeof given === 'string' ? given : String(process.hrtime.bigint());
  note(incoming, { name });
  return {
    'content-type': type,
    'x-span-id': name,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/**
 * The value of `Vary` for a reply whose encoding depends on the request. It keeps what stands there for the pages of other
 * origins: without `Origin` a cache would give the reply to one of them to another.
 */
export function variesByEncoding(context: Context<Answers>): string {
  const before = context.env?.outgoing?.getHeader('Vary');
  return typeof before === 'string' ? `${before}, Accept-Encoding` : 'Accept-Encoding';
}

export const JSON_TYPE = 'application/json';

/** The head of Server-Sent Events, which nothing on the way may keep back. */
export const eventHeaders = (context: Parameters<typeof headersFor>[0]) => ({
  ...headersFor(context, 'text/event-stream'),
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
});
