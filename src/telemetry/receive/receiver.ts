import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import { after, type Timer } from '../../client/long-timers.ts';
import { Thread } from '../../thread/thread.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { GREATEST_ENVELOPE } from '../read/split.ts';
import { openStore } from '../open-store.ts';
import type { Kept } from './keep.ts';
import { type AskTask, type Credential, refusalOf, type Reply, type Task } from './thread/messages.ts';

/** Who asks a question: an anonymous caller, or a user who may see everything or what concerns him. */
export type Viewer = { readonly onlyUser: string | undefined } | 'refused';

export interface Receiver {
  /** Answers a question of `torc sonar show`. */
  readonly ask: (asked: Omit<AskTask, 'kind'>) => Promise<Reply>;
  /** Answers a request of a sender, or one of slurm-monitor's paths; false if it is none. */
  handles(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** The file of the store, or the URL of a database. */
  readonly path: string;
  readonly viewerOf: (incoming: IncomingMessage) => Promise<Viewer>;
  /** Days that samples stay as they are, and that they are kept at all (0: for ever). */
  readonly hotDays?: number | undefined;
  readonly keptDays?: number | undefined;
  readonly onNotice?: ((words: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
  /** How long after the start, and how often, days are closed. */
  readonly keepAfterMs?: number;
  readonly keepEveryMs?: number;
}

const HOT_DAYS = 14;
const KEPT_DAYS = 365;
const MINUTE_MS = 60_000;

/** Envelopes of a request, unpacked: packed ones of a few KB can become gigabytes. */
const MOST_BYTES = GREATEST_ENVELOPE;
/** Requests that wait for the thread: each may hold 64 MB. */
const MOST_WAITING = 64;
/** A body that arrives more slowly holds a connection. */
const BODY_MS = 60_000;

const TYPES = 'sysinfo|sample|job|jobs|cluster|envelopes';
/** `POST <root>/[prefix.]<type>`: what the daemon of Sonar sends to its `api-root`. */
const INSERT = new RegExp(`^(?:${BASE_PATH}/sonar|/api/v1/insert)/(?:[\\w.-]+\\.)?(?:${TYPES})/?$`);
/** As slurm-monitor serves it, below the root or below our own. */
const ASK_V2 = new RegExp(`^(?:${BASE_PATH})?/api/v2/([^/]+(?:/[^/]+){0,9})/?$`);

/**
 * What a server does with telemetry: senders post envelopes, and people ask questions. The event loop reads bodies; threads do everything
 * else. The paths here are those of other programs; our own questions are routes of the server (ADR 58).
 */
export async function createReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { path, viewerOf } = options;
  // A file that cannot be opened must end the start of the server, and not its first request.
  await (await openStore(path)).close();
  const [writer, reader, keeper] = [storeThread(path, false), storeThread(path, true), storeThread(path, false)];
  const keeping = keepRegularly(keeper, options);

  const receive = async (incoming: IncomingMessage): Promise<Reply> => {
    if (incoming.method !== 'POST') return wrongMethod('POST');
    if (writer.waiting >= MOST_WAITING)
      return refusalOf('TELEMETRY_BUSY', `${MOST_WAITING} requests wait to be stored`);
    const body = await bodyOf(incoming);
    if (!(body instanceof Uint8Array)) return body;
    const credential = credentialOf(incoming.headers.authorization);
    const origin = incoming.socket.remoteAddress ?? 'unknown address';
    return execute(writer, { kind: 'receive', body, credential, origin });
  };
  const askV2 = async (incoming: IncomingMessage, path: string, query: URLSearchParams): Promise<Reply> => {
    if (incoming.method !== 'GET') return wrongMethod('GET');
    const viewer = await viewerOf(incoming);
    if (viewer === 'refused')
      return refusalOf('CREDENTIAL_MISSING', 'this server requires a login', 'Send the login of a user.');
    const { onlyUser } = viewer;
    return execute(reader, { kind: 'ask v2', path, parameters: Object.fromEntries(query), onlyUser });
  };

  return {
    ask: (asked) => execute(reader, { kind: 'ask', ...asked }),
    handles(incoming, outgoing) {
      const [pathname = '', query = ''] = (incoming.url ?? '').split('?', 2);
      const path = ASK_V2.exec(pathname)?.[1];
      if (path === undefined && !INSERT.test(pathname)) return false;
      const reply = path === undefined ? receive(incoming) : askV2(incoming, path, new URLSearchParams(query));
      void reply
        .catch((error: unknown) => refusalOf('BODY_MALFORMED', (error as Error).message, 'Send the whole body.'))
        .then((answered) => send(outgoing, answered));
      return true;
    },
    async close() {
      keeping.timer.cancel();
      await Promise.all([writer, reader, keeper].map((thread) => thread.close(new Error(ENDED))));
    },
  };
}

const ENDED = 'the thread of telemetry ended';
type StoreThread = Thread<Task, Reply>;

/** A thread that executes tasks on the store, one after another. */
const storeThread = (path: string, isReadOnly: boolean): StoreThread =>
  new Thread('./telemetry-worker', import.meta.url, { workerData: { path, isReadOnly }, ended: ENDED });

const execute = (thread: StoreThread, task: Task): Promise<Reply> =>
  thread.ask(task).catch((error: Error) => refusalOf('TELEMETRY_UNAVAILABLE', error.message));

/** Closes days a minute after the start, then every hour. A problem is logged once, until it is another one. */
function keepRegularly(keeper: StoreThread, options: ReceiverOptions): { timer: Timer } {
  const { hotDays = HOT_DAYS, keptDays = KEPT_DAYS, onNotice } = options;
  const { keepAfterMs = MINUTE_MS, keepEveryMs = 60 * MINUTE_MS } = options;
  let reported: string | undefined;
  const round = async () => {
    const { status, text } = await execute(keeper, { kind: 'keep', hotDays, keptDays });
    const reply = JSON.parse(text) as Kept | { readonly error: { readonly message: string } };
    const { closed, deleted, problem } =
      'error' in reply ? { closed: [], deleted: 0, problem: `${status}: ${reply.error.message}` } : reply;
    if (closed.length > 0) onNotice?.('Days of telemetry were closed', { days: closed.length });
    if (deleted > 0) onNotice?.('Old telemetry was deleted', { envelopes: deleted });
    if (problem !== undefined && problem !== reported)
      onNotice?.('Days of telemetry stay open', { older_than_days: hotDays, problem });
    reported = problem;
    keeping.timer = roundAfter(keepEveryMs);
  };
  const roundAfter = (ms: number) => after(ms, () => void round()).unref();
  const keeping = { timer: roundAfter(keepAfterMs) };
  return keeping;
}

const wrongMethod = (method: string): Reply =>
  refusalOf('METHOD_REFUSED', `expected ${method}`, 'Use the method that the message names.');

function send(outgoing: ServerResponse, { status, text, type = 'application/json' }: Reply): void {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, {
    'Content-Type': type,
    // A drawing came from a sender: what it has of scripts must not run on this origin.
    ...(type === 'application/json'
      ? {}
      : { 'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'" }),
    'Content-Length': Buffer.byteLength(text),
    ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="Torc telemetry"' } : {}),
    // The rest of a body that was refused is not read.
    ...(status === 413 || status === 503 ? { Connection: 'close' } : {}),
  });
  outgoing.end(text);
}

function credentialOf(header: string | undefined): Credential {
  const [, scheme = '', value = ''] = /^(\w+)\s+(.+)$/.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { secret: value.trim() };
  if (scheme.toLowerCase() !== 'basic') return {};
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? {} : { user: text.slice(0, colon), secret: text.slice(colon + 1) };
}

/** The body, unpacked, or the refusal of one that is too large, too slow or damaged. */
function bodyOf(incoming: IncomingMessage): Promise<Uint8Array | Reply> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip')
    return Promise.resolve(
      refusalOf('CONTENT_TYPE_REFUSED', `the body is packed with ${encoding}`, 'Use gzip, or nothing.'),
    );
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const gunzip = encoding === 'gzip' ? createGunzip() : undefined;
    const end = (result: Uint8Array | Reply) => {
      clearTimeout(slow);
      incoming.off('data', forward);
      if (!(result instanceof Uint8Array)) incoming.resume();
      gunzip?.destroy();
      resolve(result);
    };
    const slow = setTimeout(
      () =>
        end(
          refusalOf(
            'BODY_TOO_SLOW',
            `the body took longer than ${BODY_MS / 1000} s`,
            'Send fewer envelopes in a request.',
          ),
        ),
      BODY_MS,
    );
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MOST_BYTES)
        end(
          refusalOf(
            'BODY_TOO_LARGE',
            `the body has more than ${MOST_BYTES} bytes, unpacked`,
            'Send fewer envelopes in a request.',
          ),
        );
      else chunks.push(chunk);
    };
    const forward = (chunk: Buffer) => {
      if (gunzip === undefined) take(chunk);
      else if (!gunzip.write(chunk)) {
        incoming.pause();
        gunzip.once('drain', () => incoming.resume());
      }
    };
    const isDone = () => end(Buffer.concat(chunks));
    incoming.on('data', forward);
    incoming.once('aborted', () => end(refusalOf('BODY_MALFORMED', 'the body was cut off', 'Send the whole body.')));
    if (gunzip === undefined) incoming.once('end', isDone);
    else {
      incoming.once('end', () => gunzip.end());
      gunzip.on('data', take);
      gunzip.once('end', isDone);
      gunzip.once('error', () =>
        end(refusalOf('BODY_MALFORMED', 'the body is no gzip data', 'Send the body as its header says.')),
      );
    }
  });
}
