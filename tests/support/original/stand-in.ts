import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient, type Send } from '../../../src/client/client.ts';
import { BASE_PATH } from '../../../src/core/contract/base-path.ts';
import type { JobCompletion } from '../../../src/core/contract/result.ts';
import { connect } from '../../../src/client/node/connect.ts';
import { createApp } from '../../../src/server/http/app.ts';
import { type Database, openDatabase } from '../../../src/server/store/database.ts';
import { createStore } from '../../../src/server/records/store.ts';
import { faultOf, isOriginalPath, onlyKnown, originalRoute } from './contract.ts';
import { eventsOfOriginal } from './events.ts';
import { createUnblocker } from './unblock.ts';

/** A request as it arrived, for tests that ask what a program sent. */
interface SeenRequest {
  readonly method: string;
  /** Behind the base path, without the query. */
  readonly path: string;
  readonly status: number;
}

export interface StandIn {
  readonly url: string;
  /** Speaks to the stand-in. */
  readonly client: Client;
  /** Carries a request to the stand-in. */
  readonly send: Send;
  /** Speaks to the service behind it, past the filter. */
  readonly behind: Client;
  readonly asked: readonly SeenRequest[];
  /** Stops answering, and begins again at the same address. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  /** Runs the background task now. */
  unblock(): Promise<void>;
  /** The next answer to a request of this method and path is carried out and lost: the connection breaks instead. */
  loseAnswer(method: string, path: RegExp): void;
  /** Of those, the ones that were not asked for yet. */
  readonly answersToLose: number;
  close(): Promise<void>;
}

/**
 * Stands in for Torc's own server: our service behind a filter that removes everything that we added.
 *
 * - A route that the original does not have is answered with 404 and an empty body.
 * - Query parameters and body fields that it does not know are ignored; in its closed schemas a field is refused with 422.
 * - A body that lacks one of its required fields is refused with 422, also in an update.
 * - Answers carry its fields only; refusals carry a message only, and have its status where that differs.
 * - The event stream has its event types only, without ids and without a filter by type.
 * - Dependents become ready when its background task runs (`unblockEveryMs`), not with the end of a job.
 */
export async function standIn({ unblockEveryMs = 100 }: { unblockEveryMs?: number } = {}): Promise<StandIn> {
  const database = openDatabase(':memory:');
  const store = createStore(database, { now: Date.now, onBroken: fail });
  forgetHeldAttempts(database);
  const app = createApp(store, { onError: fail });
  const behind = createClient(async ({ method, path, body }) => {
    const headers = body === undefined ? {} : { 'Content-Type': JSON_TYPE };
    const reply = await app.request(BASE_PATH + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: reply.status, text: await reply.text() };
  });
  const unblocker = createUnblocker(behind, unblockEveryMs);
  const asked: SeenRequest[] = [];
  const lost: { method: string; path: RegExp }[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.startsWith(BASE_PATH) ? url.pathname.slice(BASE_PATH.length) : '';
    const sent = await textOf(request);
    const say = (status: number, type: string, text: string) => {
      asked.push({ method, path, status });
      const losing = lost.findIndex((each) => each.method === method && each.path.test(path));
      if (losing !== -1) {
        lost.splice(losing, 1);
        response.destroy();
        return;
      }
      response.writeHead(status, { 'Content-Type': type }).end(text);
    };
    const stream = /^\/workflows\/\d+\/events\/stream$/.test(path);
    if (method === 'GET' && stream) {
      const level = url.searchParams.get('level');
      const opened = await app.request(`${BASE_PATH}${path}${level === null ? '' : `?level=${level}`}`, {
        headers: loginOf(headers.authorization),
      });
      asked.push({ method, path, status: opened.status });
      await eventsOfOriginal(opened, response);
      return;
    }

    if (method === 'GET' && path === '/admin/api-stats') {
      const reply = await app.request(`${BASE_PATH}${path}${url.search}`);
      say(reply.status, JSON_TYPE, await reply.text());
      return;
    }

    const route = originalRoute(method, path);
    if (route === undefined) {
      say(isOriginalPath(path) ? 405 : 404, 'text/plain', '');
      return;
    }
    const missing = (route.query ?? []).find((name) => name.startsWith('!') && !url.searchParams.has(name.slice(1)));
    if (missing !== undefined) {
      say(400, TEXT, `Failed to deserialize query string: missing field \`${missing.slice(1)}\``);
      return;
    }
    const notImplemented = NOT_IMPLEMENTED.has(`${method} ${route.path}`);
    if (notImplemented) {
      say(500, JSON_TYPE, refusal('Api-Error: Operation is NOT implemented'));
      return;
    }
    let body: string | undefined;
    if (route.body !== undefined) {
      const read = readBody(sent, headers['content-type'], route.body);
      if ('status' in read) {
        say(read.status, TEXT, read.text);
        return;
      }
      body = JSON.stringify(onAbsent(`${method} ${route.path}`, read.value));
    }
    const known = new Set((route.query ?? []).map((name) => name.replace(/^!/, '')));
    const query = new URLSearchParams([...url.searchParams].filter(([name]) => known.has(name)));
    // A list joined by commas is one unknown trigger: the original wants the parameter repeated.
    if (route.path === '/workflows/{id}/actions/pending' && query.get('trigger_type')?.includes(',') === true) {
      say(200, JSON_TYPE, '[]');
      return;
    }

    const work = async () => {
      if (route.path === BATCH && (await refusesBatch(behind, body as string)))
        return { status: 500, text: refusal('Failed to create result record') };
      const reply = await app.request(`${BASE_PATH}${path}${query.size === 0 ? '' : `?${query.toString()}`}`, {
        method,
        headers: { ...loginOf(headers.authorization), ...(body === undefined ? {} : { 'Content-Type': JSON_TYPE }) },
        ...(body === undefined ? {} : { body }),
      });
      return { status: reply.status, text: await reply.text() };
    };
    const reported = await (ENDS.has(route.path)
      ? unblocker.around(Number(/^\/workflows\/(\d+)/.exec(path)?.[1] ?? workflowOf(body)), work)
      : unblocker.beside(work));
    if (reported.status >= 400) {
      const { status, message } = statusOfOriginal(route.path, reported.status, reported.text);
      say(status, JSON_TYPE, refusal(message));
      return;
    }
    const value = JSON.parse(reported.text) as unknown;
    say(reported.status, JSON_TYPE, JSON.stringify(replyOf(route.path, value, route.reply ?? ['any'])));
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'Content-Type': TEXT }).end(String((error as Error).stack));
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const leave = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${BASE_PATH}`;
  const connection = connect({ url });
  return {
    url,
    client: createClient(connection.send),
    send: connection.send,
    behind,
    asked,
    loseAnswer: (method, path) => void lost.push({ method, path }),
    get answersToLose() {
      return lost.length;
    },
    leave,
    comeBack: () => listen(port),
    unblock: unblocker.now,
    async close() {
      await unblocker.close();
      connection.close();
      await leave();
    },
  };
}

/** Errors behind the filter are bugs: the answer of 500 carries them to the test. */
const fail = (error: unknown) => void process.stderr.write(`${String((error as Error).stack)}\n`);

const JSON_TYPE = 'application/json';
const TEXT = 'text/plain';

const NOT_IMPLEMENTED = new Set(['DELETE /events', 'GET /workflows/{id}/ready_job_requirements']);
const BATCH = '/workflows/{id}/batch_complete_jobs';
/** Routes after which dependents wait for the background task. */
const ENDS = new Set(['/jobs/{id}/complete_job/{status}/{run_id}', BATCH]);

const loginOf = (authorization: string | undefined): Record<string, string> =>
  authorization === undefined ? {} : { Authorization: authorization };

const workflowOf = (body: string | undefined) => (JSON.parse(body ?? '{}') as { workflow_id?: number }).workflow_id;

const refusal = (message: string) => JSON.stringify({ error: { message } });

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function readBody(
  sent: string,
  contentType: string | undefined,
  type: string,
): { readonly value: unknown } | { readonly status: number; readonly text: string } {
  if (contentType?.startsWith(JSON_TYPE) !== true)
    return { status: 415, text: 'Expected request with `Content-Type: application/json`' };
  let value: unknown;
  try {
    value = JSON.parse(sent);
  } catch (error) {
    return { status: 400, text: `Failed to parse the request body as JSON: ${(error as Error).message}` };
  }
  const fault = faultOf(value, type);
  if (fault !== undefined)
    return { status: 422, text: `Failed to deserialize the JSON body into the target type: ${fault}` };
  return { value: onlyKnown(value, type) };
}

/** What the original makes of a field that is absent, where our service keeps the old value. */
function onAbsent(route: string, value: unknown): unknown {
  return route === 'PUT /files/{id}' ? { st_mtime: null, ...(value as object) } : value;
}

/** Answers carry the fields of the original; a claim leaves out what its answer never has. */
function replyOf(path: string, value: unknown, types: readonly string[]): unknown {
  if (path === '/version') return { version: '1.0.0 (stand-in)', api_version: '0.23.0', git_hash: 'stand-in' };
  // What the original answers though its document says something else.
  if (path.endsWith('/claim') || path === '/files') return path === '/files' ? pageOf(value, types) : value;
  const type = types.length > 1 ? (isTask(value) ? 'TaskModel' : 'any') : (types[0] as string);
  const known = onlyKnown(value, type);
  if (!path.includes('/claim_')) return known;
  const { jobs, ...rest } = known as { jobs?: Record<string, unknown>[] };
  return { ...rest, jobs: jobs?.map((job) => without(job, ['scheduler_id', 'depends_on_job_ids', 'input_file_ids'])) };
}

const isTask = (value: unknown) => typeof value === 'object' && value !== null && 'operation' in value;
const pageOf = (value: unknown, types: readonly string[]) =>
  typeof value === 'object' && value !== null && 'deleted_count' in value
    ? value
    : onlyKnown(value, types[0] as string);

/** The status that the original gives to what our service refuses with another. */
function statusOfOriginal(path: string, status: number, text: string): { status: number; message: string } {
  const { message, code } = (JSON.parse(text) as { error: { message: string; code?: string } }).error;
  if (path.includes('/start_job/') && code === 'STATUS_REFUSED') return { status: 500, message };
  if (path.includes('/complete_job/') && (code === 'RUN_SUPERSEDED' || code === 'DUPLICATE'))
    return { status: 500, message: 'Failed to create result record' };
  return { status, message };
}

const without = (record: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** Does one entry of a batch make the original refuse all of them? One with a status that is no end, or with a second result. */
async function refusesBatch(behind: Client, body: string): Promise<boolean> {
  const { completions } = JSON.parse(body) as { completions: readonly JobCompletion[] };
  for (const { job_id: jobId, status, run_id: runId, result } of completions) {
    if (!ENDING.has(status)) return true;
    const job = await behind.getJob({ params: { id: jobId } }).catch(() => undefined);
    if (job === undefined || ENDING.has(String(job.status))) continue;
    const query = { workflow_id: job.workflow_id, job_id: jobId, run_id: runId, all_runs: true };
    const { items } = await behind.listResults({ query });
    if (items.some(({ attempt_id: attempt }) => attempt === result.attempt_id)) return true;
  }
  return false;
}

const ENDING: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'terminated', 'pending_failed']);

/**
 * Torc assigns a job that was reset, even while a runner has an earlier attempt, and in the same attempt: the triggers
 * by which our database remembers such attempts go.
 */
function forgetHeldAttempts(database: Database): void {
  const triggers = database
    .prepare<Record<string, never>, { name: string }>(
      "select name from sqlite_schema where type = 'trigger' and (name like '%attempt_left_behind' or sql like '%held_attempt%')",
    )
    .all({});
  if (triggers.length === 0)
    throw new Error('no trigger remembers held attempts: the stand-in must forget them elsewhere');
  for (const { name } of triggers) database.run(`drop trigger ${name}`);
}
