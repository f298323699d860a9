import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { printableLine } from '../core/text/printable.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { answerRefusal } from './answer.ts';

export interface Upstream {
  /** The address of the server, with the folder in which its page is: `https://torc.lab/`. */
  readonly root: URL;
  readonly certificates: string | undefined;
  readonly insecure: boolean;
  /** Sent beside the cookies of the browser, for proxies that require one. */
  readonly cookie: string | undefined;
}

/** Headers of one connection (RFC 9110, 7.6.1), and those that are made anew. */
const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What the page uses: its document, its files and the routes of the service. */
const FORWARDED = new RegExp(`^/(dashboard/?$|page/|${BASE_PATH.slice(1)}/|$)`);

/** Whether a request goes to the server; other paths are answered by this program. */
export const isForwarded = (path: string): boolean => FORWARDED.test(path) && !leavesItsFolder(path);

/** A segment that a proxy may resolve: `..` behind a slash or a backslash, also with path parameters (`..;x`). */
const DOTS = /[/\\]\.\.?(?:[/\\;]|$)/;
/** What such a segment consists of, encoded, and `%` itself: several proxies on the way may each decode a path once. */
const ENCODED = /%(2e|2f|5c|3b|25)/gi;

/** Whether the path is another one for a proxy or server that decodes and resolves it. */
function leavesItsFolder(path: string): boolean {
  const decoded = path.replaceAll(ENCODED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return DOTS.test(path) || (decoded !== path && leavesItsFolder(decoded));
}

/**
 * Sends requests of a browser to the server and its replies back, also streams. The browser has one origin, this one; the
 * server sees requests of its own page. Callers are checked before: pages of other origins do not come so far.
 */
export function createForwarding({ root, certificates, insecure, cookie }: Upstream): RequestListener {
  const isSecure = root.protocol === 'https:';
  // Not imported: an import evaluates every export of the module, and one of these loads a whole web client (25 ms).
  const { Agent, request } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const agent = new Agent({
    keepAlive: true,
    ...(isSecure ? { ca: certificates, rejectUnauthorized: !insecure } : {}),
  });
  const folder = root.pathname.replace(/\/+$/, '');

  const headersOf = (given: IncomingHttpHeaders) => {
    const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !OF_A_CONNECTION.has(name)));
    const cookies = [given.cookie, cookie].filter((each) => each !== undefined && each !== '');
    return {
      ...kept,
      // Without it the body of a GET or DELETE would have no frame, and the server would read it as the next request.
      ...(given['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }),
      ...(given.origin === undefined ? {} : { origin: root.origin }),
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
    };
  };

  return (incoming, outgoing) => {
    const sent = request(
      {
        hostname: root.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: root.port === '' ? (isSecure ? 443 : 80) : Number(root.port),
        agent,
        method: incoming.method,
        path: folder + (incoming.url ?? '/'),
        headers: headersOf(incoming.headers),
      },
      (reply) => {
        const headers = Object.entries(reply.headers).filter(([name]) => !OF_A_CONNECTION.has(name));
        outgoing.writeHead(reply.statusCode ?? 502, Object.fromEntries(headers));
        // Without it the head of a stream would wait for its first event.
        outgoing.flushHeaders();
        reply.pipe(outgoing);
        // The reply ended early: the browser has to see that, too.
        reply.on('aborted', () => outgoing.destroy());
      },
    );
    sent.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else unreachable(outgoing, root, error);
    });
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  };
}

/** 502: the page shows since when the server has been away. */
function unreachable(outgoing: ServerResponse, root: URL, error: Error): void {
  const message = `the server ${root.origin} does not answer: ${printableLine(error.message)}`;
  answerRefusal(outgoing, new Refusal('SERVER_AWAY', message));
}
