import type { IncomingMessage, Server } from 'node:http';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import type { TrafficLog } from '../admin/traffic.ts';

/** A body as text or bytes; of a long one its length and its beginning. */
type Body = string | Buffer | { readonly bytes: number; readonly head: Buffer };

/** The recorded data of a request while a client of the traffic stream is connected. */
interface Noted {
  /** The request id of the reply. */
  name?: string;
  user?: string;
  request?: Body;
  response?: Body;
}

const noted = new WeakMap<IncomingMessage, Noted>();

/** Records data of a request for the traffic stream; nothing when no client is connected. */
export function note(incoming: IncomingMessage | undefined, fields: Noted): void {
  const known = incoming === undefined ? undefined : noted.get(incoming);
  if (known !== undefined) Object.assign(known, fields);
}

/**
 * Counts the replies of the server, and reports them to clients of the traffic stream. Credentials and cookies are
 * never reported.
 */
export function watchTraffic(server: Server, traffic: TrafficLog, bodyBytes: number, now: () => number): void {
  server.prependListener('request', (incoming, outgoing) => {
    const startedAt = performance.now();
    const before = incoming.socket.bytesWritten;
    if (traffic.listening !== 'none') noted.set(incoming, {});
    outgoing.once('close', () => {
      const status = outgoing.statusCode;
      const bytesIn = Number(incoming.headers['content-length'] ?? 0);
      traffic.count({ status, bytesIn, bytesOut: incoming.socket.bytesWritten - before });
      const known = noted.get(incoming);
      if (known === undefined) return;
      const [path = '', query] = (incoming.url ?? '').split('?', 2);
      const label = incoming.headers['x-torc-client-user'];
      const isShown = traffic.listening === 'to bodies' && !WITH_SECRETS.test(path);
      traffic.report({
        timestamp_ms: now(),
        method: incoming.method ?? '',
        path: path.startsWith(BASE_PATH) ? path.slice(BASE_PATH.length) || '/' : path,
        query,
        status,
        latency_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
        request_id: known.name ?? '',
        user: known.user ?? (typeof label === 'string' ? label : 'anonymous'),
        ...(isShown && known.request !== undefined ? { request_body: shown(known.request, bodyBytes) } : {}),
        ...(isShown && known.response !== undefined ? { response_body: shown(known.response, bodyBytes) } : {}),
      });
    });
  });
}

/** Paths whose bodies are credentials: start tokens, and keys of sessions. */
const WITH_SECRETS = /\/page_(?:session|tokens?)\b/;

function shown(body: Body, most: number): { bytes: number; truncated: boolean; text: string } {
  if (typeof body === 'object' && 'head' in body) {
    const { text } = shown(body.head, most);
    return { bytes: body.bytes, truncated: body.bytes > Math.min(most, body.head.length), text };
  }
  const bytes = Buffer.byteLength(body);
  if (bytes <= most) return { bytes, truncated: false, text: body.toString() };
  const head = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    bytes,
    truncated: true,
    text: head
      .subarray(0, most)
      .toString('utf8')
      .replace(/\uFFFD$/, ''),
  };
}
