import { calls } from '../client/calls.gen.ts';
import { type Client, createClient, pathOf, type Request } from '../client/client.ts';
import { type Response as Reply, ServiceError, Unreachable } from '../client/errors.ts';
import { followEvents } from '../client/event-stream.ts';
import { serverReply } from '../client/reply.ts';
import { pause } from '../client/long-timers.ts';
import { anotherProgram } from '../client/another-program.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { streamPlaces } from './stream-places.ts';

/**
 * The connection of this page to its server: who it is for, and whether the server answers.
 *
 * The address of the service follows from that of this script, so the page works below any prefix of a proxy. A session is a
 * cookie that scripts cannot read, and a key that this page sends: a cookie is also sent to servers on other ports of the same
 * host, which may belong to another user; the key stays with this origin.
 */
export type ConnectionState =
  | { readonly is: 'here' }
  | { readonly is: 'away'; readonly sinceMs: number }
  /** Another program replies in its place, such as a portal whose login is over. */
  | { readonly is: 'hidden'; readonly found: string }
  | { readonly is: 'logged out'; readonly why: string | undefined };

const SERVICE = new URL('../torc-service/v1', import.meta.url).href;
const KEY = `torc page ${SERVICE}`;
const USER = `${KEY} user`;
/** A request that takes longer counts as an outage. */
const PATIENCE_MS = 20_000;
/** A stream has a comment every 15 s; one that is silent for longer has lost its connection. */
const SILENCE_MS = 40_000;

const takePlace = streamPlaces(`${KEY} stream`);
/** How often a window without a stream asks. */
const ASK_MS = 2_000;

/** Why a view ends its stream. */
export const CLOSED = new Error('the view was closed');

let state: ConnectionState = { is: 'here' };
const watchers = new Set<() => void>();

function become(next: ConnectionState): void {
  if (next.is === state.is && next.is !== 'logged out' && next.is !== 'hidden') return;
  state = next;
  for (const watch of watchers) watch();
}

async function request(path: string, init: RequestInit, signal = AbortSignal.timeout(PATIENCE_MS)): Promise<Response> {
  const key = localStorage.getItem(KEY);
  const headers = { ...(init.headers as Record<string, string> | undefined), 'X-Torc-Page': key ?? 'new' };
  try {
    return await fetch(SERVICE + path, {
      ...init,
      headers,
      signal,
      cache: 'no-store',
      // A browser follows none to the login of another host, and reports it as a lost connection.
      redirect: 'manual',
    });
  } catch (cause) {
    // A view that was closed ends what it waits for.
    if (signal.reason === CLOSED) throw CLOSED;
    noteOutage();
    throw new Unreachable('the server does not answer', { cause });
  }
}

const send = async ({ method, path, body }: Request): Promise<Reply> => {
  const response = await request(path, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  });
  const reply = await replyOf(response);
  noteReply(reply);
  return reply;
};

/** The browser shows nothing of a redirect. */
const replyOf = async (response: Response): Promise<Reply> =>
  response.type === 'opaqueredirect'
    ? { status: 302, text: '' }
    : { status: response.status, text: await response.text() };

/** While the user is logged out the login form stays, and shows why the last login failed. */
function noteOutage(): void {
  if (state.is !== 'logged out') become({ is: 'away', sinceMs: state.is === 'away' ? state.sinceMs : Date.now() });
}

function noteReply(reply: Reply): void {
  const { status } = reply;
  const found = anotherProgram(reply);
  // A proxy whose server is gone answers itself.
  if (status >= 502) noteOutage();
  else if (found !== undefined) become({ is: 'hidden', found });
  // Other requests that are refused do not remove the reason that is shown.
  else if (status === 401) become({ is: 'logged out', why: state.is === 'logged out' ? state.why : undefined });
  else become({ is: 'here' });
}

/** The parts of a stream as they come, until it ends, is silent, or `leave` says so. */
async function openStream(path: string, leave: AbortSignal): Promise<AsyncIterable<string>> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), PATIENCE_MS);
  const response = await request(path, {}, AbortSignal.any([leave, silence.signal]));
  const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) {
    const reply = await replyOf(response);
    noteReply(reply);
    throw new ServiceError('follow the status', reply);
  }
  become({ is: 'here' });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return (async function* () {
    try {
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        const { value, done } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  })();
}

/** Begins a session, and keeps its key. Throws the refusal. */
async function startSession(authorization: string): Promise<void> {
  const response = await request('/page_session', { method: 'POST', headers: { Authorization: authorization } });
  const reply = await replyOf(response);
  if (response.status !== 200) throw new ServiceError('log in', reply);
  const { key, user } = serverReply('log in', reply, 'key') as { key: string; user?: string };
  localStorage.setItem(KEY, key);
  if (user === undefined) localStorage.removeItem(USER);
  else localStorage.setItem(USER, user);
  become({ is: 'here' });
}

/** Why a session did not begin: the login is not known, the server said something else, or it did not answer. */
export function refusalWords(error: unknown, words: { readonly refused: string; readonly unanswered: string }): string {
  if (!(error instanceof ServiceError) || error.status >= 500) return words.unanswered;
  return error.status === 401 ? words.refused : error.message;
}

export const connection = {
  client: createClient(send) as Client,
  get state(): ConnectionState {
    return state;
  },
  watch(call: () => void): () => void {
    watchers.add(call);
    return () => void watchers.delete(call);
  },

  /** Calls `show` with the status of a workflow, now and whenever it changes, and `fail` where it cannot be had. */
  async followStatus(
    id: number,
    {
      signal,
      show,
      fail,
    }: { signal: AbortSignal; show: (status: WorkflowStatus) => void; fail: (error: Error) => void },
  ): Promise<void> {
    // A browser opens six connections to a server: a window above that would wait for ever.
    let place = takePlace();
    for (; place === undefined; place = takePlace()) {
      await this.client.getWorkflowStatus({ params: { id } }).then(
        (status) => !signal.aborted && show(status),
        (error: Error) => !signal.aborted && fail(error),
      );
      await pause(ASK_MS);
      if (signal.aborted) return;
    }
    signal.addEventListener('abort', place.leave, { once: true });
    const path = pathOf(calls.streamWorkflowStatus[1], { id });
    const followed = followEvents<WorkflowStatus>({
      open: (_, leave) => openStream(path, leave),
      signal,
      wait: pause,
      onLost: (error) => fail(error as Error),
    });
    for await (const { event } of followed) if (!signal.aborted) show(event);
  },

  /**
   * Exchanges the start token of the address, if there is one, and removes it from the address and the history; a view behind
   * it stays.
   */
  async begin(): Promise<void> {
    const [, token, view = '/'] = /^#token=([\w-]+)(\/[^#]*)?$/.exec(location.hash) ?? [];
    if (token === undefined) return;
    history.replaceState(null, '', `${location.pathname}${location.search}#${view}`);
    await startSession(`Bearer ${token}`).catch((error: Error) =>
      become({
        is: 'logged out',
        why: refusalWords(error, {
          refused: 'This start link was used before, or is too old.',
          unanswered: 'The server did not answer. Open the start link again.',
        }),
      }),
    );
  },
  logIn: (user: string, password: string): Promise<void> => startSession(`Basic ${base64(`${user}:${password}`)}`),
  get hasSession(): boolean {
    return localStorage.getItem(KEY) !== null;
  },
  /** Who logged in; undefined on a server without names. */
  get user(): string | undefined {
    return localStorage.getItem(USER) ?? undefined;
  },
  async logOut(): Promise<void> {
    await request('/page_session', { method: 'DELETE' }).catch(() => {});
    localStorage.removeItem(KEY);
    localStorage.removeItem(USER);
    become({ is: 'logged out', why: undefined });
  },
};

const base64 = (text: string) =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
