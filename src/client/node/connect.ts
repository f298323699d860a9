import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Request, Send } from '../client.ts';
import { connectionAdvice, isUntrusted } from './connection-advice.ts';
import { type Response, ServiceError, Unreachable } from '../errors.ts';
import { type Login, LoginRefused } from './login-refused.ts';
import { withoutLogin } from './url-login.ts';
import type { OpenStream } from '../event-stream.ts';

export interface ServiceAddress {
  /** With the base path, without a slash at the end. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Sent unchanged, for proxies that require a cookie. */
  readonly cookie?: string | undefined;
  /** Trusted certificates in addition to the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface Connection {
  readonly send: Send;
  /** Opens the event stream at a path such as `/workflows/7/events/stream?types=jobs_ready`. */
  readonly events: (path: string) => OpenStream;
  close(): void;
}

/**
 * The maximum wait for a reply. The server answers in milliseconds; anything longer is a server or a network that
 * hangs.
 */
const ANSWER_MS = 120_000;

/**
 * Requests over node:http with persistent connections: `fetch` costs half a millisecond more for each, which is
 * noticeable with short jobs (figures in docs/adr).
 */
export function connect(address: ServiceAddress): Connection {
  const { url: place, user, password } = withoutLogin(address.url);
  const url = new URL(place);
  const secure = url.protocol === 'https:';
  // A certificate that is given is trusted itself, whether it is that of a root or not.
  const tls = secure
    ? { ca: address.certificates, allowPartialTrustChain: true, rejectUnauthorized: address.insecure !== true }
    : {};
  // Not imported: an import evaluates every export of the module, and one of these loads a whole web client (25 ms, 8
  // MB).
  const { Agent, request } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  let agent = new Agent({ keepAlive: true, ...tls });
  let isWithSystem = !secure || address.certificates !== undefined;
  const common: RequestOptions = {
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
  };
  const base = url.pathname.replace(/\/+$/, '');
  // Those of the URL come first.
  const login = { user: user ?? address.username, password: password ?? address.password };
  const headers = headersOf(login, address.cookie);

  const unreachable = (cause: unknown) =>
    new Unreachable(`no reply from ${place}: ${(cause as Error).message}`, {
      cause,
      remedy: connectionAdvice(cause, place),
    });

  /**
   * Trusts what this machine trusts, beside the authorities that come with the runtime, if the certificate is of none of these: to read
   * them takes longer than a command. Whether that is new.
   */
  const trustSystem = (cause: unknown): boolean => {
    const { getCACertificates } = process.getBuiltinModule('node:tls');
    if (isWithSystem || !isUntrusted(cause) || getCACertificates === undefined) return false;
    isWithSystem = true;
    agent = new Agent({
      keepAlive: true,
      ...tls,
      ca: [...getCACertificates('default'), ...getCACertificates('system')],
    });
    return true;
  };

  const ask = (
    { method, path, body, key }: Request,
    extra: Record<string, string>,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest => {
    const length =
      body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) };
    const repeatable = key === undefined ? {} : { 'Idempotency-Key': key };
    const asked = request(
      { ...common, agent, method, path: base + path, headers: { ...headers, ...length, ...repeatable, ...extra } },
      onResponse,
    );
    asked.end(body);
    return asked;
  };

  const sendOnce = (sent: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      const asked = ask(sent, {}, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const answer = replyOf(response, Buffer.concat(parts).toString('utf8'));
          if (answer.status === 401) reject(new LoginRefused(answer, place, login));
          else resolve(answer);
        });
        response.on('error', (cause) => reject(unreachable(cause)));
      });
      // The server got nothing where its certificate was refused.
      asked.on('error', (cause) => {
        if (trustSystem(cause)) void sendOnce(sent).then(resolve, reject);
        else reject(unreachable(cause));
      });
      asked.setTimeout(ANSWER_MS, () => asked.destroy(new Error(`no reply within ${ANSWER_MS / 1000} s`)));
    });

  return {
    send: sendOnce,
    events: (path) => (lastEventId, signal) =>
      new Promise((resolve, reject) => {
        const lost = (cause: unknown) => reject(unreachable(cause));
        const extra = {
          Accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
        };
        const asked = ask({ method: 'GET', path, body: undefined }, extra, (response) => {
          response.setEncoding('utf8');
          if (response.statusCode === 200) return resolve(response as AsyncIterable<string>);
          let text = '';
          response.on('data', (part: string) => (text += part));
          response.on('end', () => {
            const answer = replyOf(response, text);
            reject(
              answer.status === 401
                ? new LoginRefused(answer, place, login)
                : new ServiceError('open the event stream', answer),
            );
          });
          response.on('error', lost);
        });
        asked.on('error', lost);
        signal.addEventListener('abort', () => asked.destroy(), { once: true });
      }),
    close: () => agent.destroy(),
  };
}

const replyOf = ({ statusCode: status = 0, headers: { location } }: IncomingMessage, text: string): Response =>
  location === undefined ? { status, text } : { status, text, location };

function headersOf({ user, password }: Login, cookie: string | undefined): Record<string, string> {
  return {
    ...(password === undefined
      ? {}
      : { Authorization: `Basic ${Buffer.from(`${user ?? ''}:${password}`).toString('base64')}` }),
    ...(user === undefined ? {} : { 'X-Torc-Client-User': user.replaceAll(/[^\x20-\x7e]/g, '?') }),
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  };
}
