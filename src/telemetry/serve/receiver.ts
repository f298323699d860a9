import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { after, type Timer } from '../../client/long-timers.ts';
import { Thread } from '../../thread/thread.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { openStore } from '../store/open-store.ts';
import { unpackedBodyOf, type ReceiverRoom } from '../receive/http/body.ts';
import type { Kept } from './keep.ts';
import { type AskTask, type Credential, refusalOf, type HttpReply, type ReceiverTask } from '../messages.ts';

/** Who asks a question: an anonymous caller, or a user who may see everything or what concerns him. */
export type Viewer = { readonly onlyUser: string | undefined } | 'refused';

export interface Receiver {
  /** Answers a question of `torc sonar show`. */
  readonly ask: (asked: Omit<AskTask, 'kind'>) => Promise<HttpReply>;
  /** Answers a request of a sender, or one of slurm-monitor's paths; false if it is none. */
  handles(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** The file of the store, or the URL of a database. */
  readonly path: string;
  readonly viewerOf: (incoming: IncomingMessage) => Promise<Viewer>;
  /** Gives a question its turn, and sends its answer as fast as its client reads. */
  readonly answerInTurn: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    make: () => Promise<{ readonly status: number; readonly headers: OutgoingHttpHeaders; readonly text: string }>,
  ) => Promise<void>;
  /** The memory for bodies, which they share with those of other requests. */
  readonly room: ReceiverRoom;
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

/** Requests that wait for the thread. */
const MOST_WAITING = 64;
/** After this time without a task a thread ends, and its memory is released. To open the store again takes 20 ms. */
const IDLE_MS = 10_000;

/** As of the threads that read lists: with V8's default 50 MB more of values that are stored already are kept. */
const YOUNG_MB = 24;

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
  const { path, viewerOf, room, answerInTurn } = options;
  // A file that cannot be opened must end the start of the server, and not its first request.
  await (await openStore(path)).close();
  const [writer, reader, keeper] = [storeThread(path, false), storeThread(path, true), storeThread(path, false)];
  const keeping = keepRegularly(keeper, options);

  const receive = async (incoming: IncomingMessage): Promise<HttpReply> => {
    if (incoming.method !== 'POST') return wrongMethod('POST');
    if (writer.waiting >= MOST_WAITING)
      return refusalOf('TELEMETRY_BUSY', `${MOST_WAITING} requests wait to be stored`);
    const given = await unpackedBodyOf(incoming, room);
    if ('status' in given) return given;
    const { blocks: body, release } = given;
    const credential = credentialOf(incoming.headers.authorization);
    const origin = incoming.socket.remoteAddress ?? 'unknown address';
    const blocks = body.map(({ buffer }) => buffer);
    return execute(writer, { kind: 'receive', body, credential, origin }, blocks).finally(release);
  };
  const askV2 = async (incoming: IncomingMessage, path: string, query: URLSearchParams): Promise<HttpReply> => {
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
      const failed = (error: unknown) => refusalOf('BODY_MALFORMED', (error as Error).message, 'Send the whole body.');
      if (path === undefined)
        void receive(incoming)
          .catch(failed)
          .then((reply) => send(outgoing, reply));
      else
        void answerInTurn(incoming, outgoing, async () => {
          const reply = await askV2(incoming, path, new URLSearchParams(query)).catch(failed);
          return { ...reply, headers: headersOf(reply) };
        });
      return true;
    },
    async close() {
      keeping.timer.cancel();
      await Promise.all([writer, reader, keeper].map((thread) => thread.close(new Error(ENDED))));
    },
  };
}

const ENDED = 'the thread of telemetry ended';
type StoreThread = Thread<ReceiverTask, HttpReply>;

/** A thread that executes tasks on the store, one after another. */
const storeThread = (path: string, isReadOnly: boolean): StoreThread =>
  new Thread('./telemetry-worker', import.meta.url, {
    workerData: { path, isReadOnly },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    ended: ENDED,
    idleMs: IDLE_MS,
  });

const execute = (thread: StoreThread, task: ReceiverTask, transfers: readonly ArrayBuffer[] = []): Promise<HttpReply> =>
  thread.ask(task, transfers).catch((error: Error) => refusalOf('TELEMETRY_UNAVAILABLE', error.message));

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

const wrongMethod = (method: string): HttpReply =>
  refusalOf('METHOD_REFUSED', `expected ${method}`, 'Use the method that the message names.');

function send(outgoing: ServerResponse, reply: HttpReply): void {
  if (outgoing.destroyed) return;
  outgoing.writeHead(reply.status, { ...headersOf(reply), 'Content-Length': Buffer.byteLength(reply.text) });
  outgoing.end(reply.text);
}

const headersOf = ({ status, type = 'application/json' }: HttpReply): OutgoingHttpHeaders => ({
  'Content-Type': type,
  // A drawing came from a sender: what it has of scripts must not run on this origin.
  ...(type === 'application/json'
    ? {}
    : { 'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'" }),
  ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="Torc telemetry"' } : {}),
  // The rest of a body that was refused is not read.
  ...(status === 413 || status === 503 ? { Connection: 'close' } : {}),
});

function credentialOf(header: string | undefined): Credential {
  const [, scheme = '', value = ''] = /^(\w+)\s+(.+)$/.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { secret: value.trim() };
  if (scheme.toLowerCase() !== 'basic') return {};
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? {} : { user: text.slice(0, colon), secret: text.slice(colon + 1) };
}
