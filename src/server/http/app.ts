import { Hono } from 'hono';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { openApiDocument } from '../../core/contract/openapi.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Route, routes } from '../../core/contract/routes.ts';
import { accessHandlers } from '../access/handlers.ts';
import { type LoginCheck, openLogin } from '../access/login.ts';
import { createPermissions } from '../access/permit.ts';
import { createSessions } from '../access/sessions.ts';
import type { AccessSettings } from '../access/settings.ts';
import { actHandlers } from '../act/handlers.ts';
import { adminHandlers } from '../admin/handlers.ts';
import { createTrafficLog, type TrafficLog } from '../admin/traffic.ts';
import { allocateHandlers } from '../allocate/handlers.ts';
import { claimHandlers } from '../claim/handlers.ts';
import { exchangeHandlers } from '../exchange/handlers.ts';
import { pageRecoveryHandlers, type Recoveries } from '../recover/for-page.ts';
import { recoverHandlers } from '../recover/handlers.ts';
import { notifyHandlers } from '../notify/handlers.ts';
import { createNotifier, NO_RECEIVERS, type Notifier } from '../notify/notifier.ts';
import { reportHandlers } from '../report/handlers.ts';
import { resultHandlers } from '../result/handlers.ts';
import { recordHandlers } from '../records/handlers.ts';
import { isBusy, lockedRefusal } from '../store/busy.ts';
import { damageRefusal, isDatabaseDamage } from '../store/damage.ts';
import type { Ask } from '../ask.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import type { AnsweredRoute, Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { type AskTelemetry, telemetryHandlers } from '../telemetry/handlers.ts';
import { submitHandlers } from '../submit/handlers.ts';
import { factHandlers } from '../facts/handlers.ts';
import { viewHandlers } from '../view/handlers.ts';
import { type AnswerAgents, serveAgents } from './agents.ts';
import { createTrafficStreams } from './api-event-stream.ts';
import { type BodyRoom, createBodyRoom } from './body-room.ts';
import { bind, type BodyLimits } from './bind.ts';
import type { Answers } from './answers.ts';
import { identify } from './caller.ts';
import { errorBody } from './errors.ts';
import { createEventStreams } from './event-stream.ts';
import { headersFor, JSON_TYPE } from './headers.ts';
import { createHeldLogins } from './held-login.ts';
import { type MetricsReaders, serveMetrics } from './metrics.ts';
import type { LoadPage } from './page/load.ts';
import { servePage } from './page/serve.ts';
import { serveSessions } from './page/session.ts';
import type { ReadThreads } from './reader.ts';
import { respond } from './reply.ts';
import { createReplyRoom, type ReplyRoom } from './reply-room.ts';
import { createStatusFeeds } from './status-feeds.ts';
import { serveStream } from './stream.ts';
import { createWideReads } from './wide-reads.ts';

export interface AppOptions extends BodyLimits {
  /** Determines the user of a request; without it every request is served. */
  readonly login?: LoginCheck | undefined;
  readonly access?: Pick<AccessSettings, 'enforce' | 'administrators'> | undefined;
  /** Path of the database, or `:memory:`. */
  readonly database?: string | undefined;
  /** What administrators may do with SQL; the default is everything. */
  readonly adminSql?: 'writes' | 'reads' | 'nothing' | undefined;
  readonly traffic?: TrafficLog | undefined;
  /** Who may read `/metrics`; by default those who may use the service. */
  readonly metrics?: MetricsReaders | undefined;
  /** Answers agents at `/mcp`; without it they get none. */
  readonly agents?: AnswerAgents | undefined;
  /** The page; without it, browsers get a text. */
  readonly page?: LoadPage | undefined;
  /** Origins whose pages may show ours in a frame. */
  readonly frameOrigins?: readonly string[] | undefined;
  /** Plans and carries out recoveries for a page; without it, it is refused. */
  readonly recoveries?: Recoveries | undefined;
  /** Sends messages about workflows; without it commands alone do. */
  readonly notifier?: Notifier | undefined;
  /** Answers questions about telemetry; without it they are refused. */
  readonly telemetry?: AskTelemetry | undefined;
  /** Executes reads over many rows off the event loop; without it they are executed in pieces. */
  readonly reader?: ReadThreads | undefined;
  /** The memory for large bodies and for long replies, which they share with those of telemetry. */
  readonly bodyRoom?: BodyRoom | undefined;
  readonly replyRoom?: ReplyRoom | undefined;
  /** Called for actions of the server that a user may want to know: it ended a stream, for instance. */
  readonly onNotice?: ((words: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
  /** How long a client may leave sent data unread; a test shortens it. */
  readonly stallMs?: number | undefined;
  /** Called for errors that are not refusals: bugs, and the disk. */
  readonly onError: (error: unknown) => void;
}

const NOTHING_ENFORCED = { enforce: false, administrators: [] };

/** The service as a function from requests to responses, over an open store. */
export function createApp(store: Store, options: AppOptions): Hono<Answers> {
  const { login = openLogin, access = NOTHING_ENFORCED, database = ':memory:', adminSql = 'writes' } = options;
  const { traffic = createTrafficLog(store.now), onError } = options;
  const { onNotice, stallMs } = options;
  const onDropped = (reason: string, facts: Readonly<Record<string, unknown>>) =>
    onNotice?.('An event stream was ended', { reason, ...facts });
  const permissions = createPermissions(store, access);
  const sessions = createSessions(store.now);
  const reloadUsers = () => {
    const users = login.reload();
    // A password may have changed.
    sessions.endAll();
    return users;
  };
  /** Requests of the server to itself, in the name of a caller whom it knows. */
  const askAs =
    (caller: Caller): Ask =>
    async ({ method, path, body }) => {
      const init = body === undefined ? { method } : { method, body, headers: { 'Content-Type': JSON_TYPE } };
      const response = await root.request(BASE_PATH + path, init, { caller });
      return { status: response.status, text: await response.text() };
    };
  const notifier = options.notifier ?? createNotifier(store, { ...NO_RECEIVERS, onError, onNotice() {} });
  const exchanges = exchangeHandlers(store);
  const handlers: Handlers = {
    ...recordHandlers(store, permissions),
    ...reportHandlers(store, permissions),
    ...submitHandlers(store),
    ...allocateHandlers(store),
    ...claimHandlers(store),
    ...resultHandlers(store),
    ...recoverHandlers(store),
    ...exchanges,
    exchange(input) {
      notifier.heard(input.body.compute_node_id);
      return exchanges.exchange(input);
    },
    ...notifyHandlers(store, notifier),
    ...accessHandlers(store, permissions, sessions, login.knows),
    ...actHandlers(store),
    ...factHandlers(store, permissions),
    ...viewHandlers(store, permissions),
    ...pageRecoveryHandlers(store, askAs, options.recoveries),
    ...telemetryHandlers(permissions, options.telemetry),
    ...adminHandlers(store, { database, adminSql, traffic, reloadUsers }),
  };
  const whole = (id: number) => ({ params: { id }, query: {}, body: undefined });
  notifier.connect({
    statusOf: async (id) => handlers.getWorkflowStatus(whole(id), ANONYMOUS),
    unclaimableOf: (id) => handlers.getUnclaimableJobs(whole(id), ANONYMOUS),
  });
  store.works.resume();
  store.releases.resume();
  const logins = createHeldLogins(login, sessions, permissions);
  const { bodyRoom: room = createBodyRoom(), replyRoom = createReplyRoom() } = options;
  const readWide = createWideReads(store, permissions, options.reader, replyRoom);
  const root = new Hono<Answers>();
  servePage(root, { load: options.page, frameOrigins: options.frameOrigins, onNotice });
  const identified = login === openLogin ? undefined : identify(login, sessions);
  if (options.agents !== undefined)
    serveAgents(root, { answer: options.agents, identify: identified, room, replyRoom });
  const metrics = { store, database, traffic: traffic.totals, permissions, identify: identified };
  serveMetrics(root, { readers: options.metrics ?? 'users', ...metrics });
  const app = root.basePath(BASE_PATH);
  app.onError((thrown, context) => {
    // A read that met the lock of another program.
    const error = isBusy(thrown) ? lockedRefusal(thrown) : isDatabaseDamage(thrown) ? damageRefusal(thrown) : thrown;
    const { status, body, headers } = errorBody(error);
    if (isDatabaseDamage(thrown)) store.turns.fail(thrown);
    if (status >= 500 && !(error instanceof Refusal)) onError(error);
    return respond(JSON.stringify(body), status, { ...headersFor(context, JSON_TYPE), ...headers });
  });
  app.notFound((context) => {
    const { status, body } = errorBody(notServed(context.req.method, context.req.path));
    const { methods } = (body as { error: { methods?: string[] } }).error;
    return respond(JSON.stringify(body), status, {
      ...headersFor(context, JSON_TYPE),
      ...(methods === undefined ? {} : { allow: methods.join(', ') }),
    });
  });
  if (identified !== undefined) {
    serveSessions(app, login, sessions);
    app.use(identified);
  }
  // Bytes: a text would be copied for each client that does not read.
  let document: Uint8Array<ArrayBuffer> | undefined;
  app.get('/openapi.json', (context) =>
    respond(
      (document ??= new TextEncoder().encode(JSON.stringify(openApiDocument()))),
      200,
      headersFor(context, JSON_TYPE),
    ),
  );
  const streams = { permissions, logins };
  const ending = { onDropped, stallMs };
  const statusOf = async (id: number) => handlers.getWorkflowStatus(whole(id), ANONYMOUS);
  const viewStatus = createStatusFeeds({ ...ending, statusOf, onChange: store.changes.subscribe });
  serveStream(app, 'streamEvents', streams, createEventStreams(store, ending));
  serveStream(app, 'streamWorkflowStatus', streams, ({ params: { id } }, viewing) =>
    viewStatus({ ...viewing, workflowId: store.find.workflow(id).id }),
  );
  const { path } = routes.streamApiEvents;
  serveStream(app, 'streamApiEvents', streams, createTrafficStreams(traffic, { ...ending, path }));
  const isAnswered = (name: string): name is AnsweredRoute => name in handlers;
  for (const name of Object.keys(routes).filter(isAnswered))
    bind(app, store, permissions, name, handlers[name], { ...options, readWide, room, replyRoom });
  return app;
}

const patterns = (Object.values(routes) as Route[]).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Why the request has no route: the path does not exist, or not with this method. */
function notServed(method: string, path: string): Refusal {
  const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((each) => each.method);
  if (methods.length > 0) {
    return new Refusal('METHOD_REFUSED', `${method} ${path}: expected ${methods.join(' or ')}`, { methods });
  }
  const where = path.startsWith(BASE_PATH) ? '' : `; all paths begin with ${BASE_PATH}`;
  return new Refusal('ROUTE_UNKNOWN', `there is no ${method} ${path}${where}`, { path });
}
