import { realpathSync, statSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { uptime } from 'node:os';
import { credentialLogin, type LoginCheck, openLogin, usersLogin } from './access/login.ts';
import type { AccessSettings } from './access/settings.ts';
import { createTrafficLog } from './admin/traffic.ts';
import { type Address, writeAddress } from './attach/address.ts';
import { createWelcome, type Welcome } from './attach/welcome.ts';
import { giveBackOpenClaims } from './claim/open/give-back-open.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { BASE_PATH } from '../core/contract/base-path.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { createLoadPage } from './http/page/load.ts';
import { createBodyRoom } from './http/body-room.ts';
import { answersInTurn } from './http/answers-in-turn.ts';
import { createReader } from './http/reader.ts';
import { createReplyRoom, type OnUnread } from './http/reply-room.ts';
import { endUnread } from './http/unread-connections.ts';
import { watchTraffic } from './http/watch.ts';
import { drain, listen, type ListenOptions, portOf, serverOf } from './listen.ts';
import { createCheckpoints, emptyLog } from './store/checkpoints.ts';
import { openAcknowledged, refuseLostChanges, refuseLostFile } from './store/commit-count.ts';
import { isDatabaseDamage, markDamage, refuseDamaged } from './store/damage.ts';
import { copyBeforeMigration, migrateDatabase } from './store/migrate.ts';
import { migrations } from './store/migrations.gen.ts';
import { openDatabase, type Database } from './store/database.ts';
import { ownDatabase, refuseForeign } from './store/own.ts';
import type { ServerLimits } from './records/limits/limit-counts.ts';
import { createNotifier, NO_RECEIVERS, type NotifierOptions } from './notify/notifier.ts';
import { createStore } from './records/store.ts';
import type { SpanTarget } from './spans/send.ts';
import type { Receiver, ReceiverOptions } from '../telemetry/serve/receiver.ts';
import { viewerBy } from './access/viewer.ts';
import { startUpkeep } from './upkeep.ts';

export interface ServeOptions
  extends
    ListenOptions,
    Pick<AppOptions, 'frameOrigins' | 'recoveries' | 'adminSql' | 'agents' | 'metrics' | 'onNotice' | 'onError'> {
  /** Path of the database file, or `:memory:`. */
  readonly database: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** If set, only requests with this credential are served. */
  readonly credential?: string | undefined;
  /**
   * Lets other commands of this user attach to a server with a credential: its address is written beside this database. Facts
   * of this process, for those who read it.
   */
  readonly attach?: ({ readonly beside: string } & Pick<Address, 'pid' | 'host' | 'start'>) | undefined;
  /** Who may log in, and who may do what; by default everybody may do everything. */
  readonly access?: AccessSettings | undefined;
  /** Serves no page: browsers get a text. */
  readonly withoutPage?: boolean | undefined;
  /** The maximum size of a body of the bulk routes in MiB; the default is 200. */
  readonly bulkMebibytes?: number | undefined;
  /** The time allowed for a body of any size in ms; the default is 30 s. */
  readonly bodyGraceMs?: number | undefined;
  /** Bytes of a body that `admin tail-api` shows; the default is 8,192. */
  readonly apiEventBodyBytes?: number | undefined;
  /** The file of the store of telemetry; without it the server receives none. */
  readonly sonarStore?: string | undefined;
  /** Days after which a day of telemetry is closed, and after which it is deleted (0: never). */
  readonly sonarHotDays?: number | undefined;
  readonly sonarKeptDays?: number | undefined;
  /** Who gets messages about workflows, and what sends them. */
  readonly notify?: Pick<NotifierOptions, 'receivers' | 'send'> | undefined;
  /** What all jobs, and those of each user, may hold at a time. */
  readonly jobLimits?: ServerLimits | undefined;
  /** The database is used although another user owns it or may write it. */
  readonly trustsOwner?: boolean | undefined;
  /** Where spans of what ended are sent; without it, nowhere. */
  readonly spans?: SpanTarget | undefined;
  readonly now?: () => number;
  /**
   * The disk failed during a commit, the file is gone or is damaged: nothing may be acknowledged any more, so the process must
   * end. Of a damaged one callers learn why for as long as it goes on.
   */
  readonly onBroken: (error: unknown, isDamaged: boolean) => void;
  /** Called when another program took the lock of the database, and when the lock is free again. */
  readonly onLock?: ((isLocked: boolean) => void) | undefined;
}

export interface RunningServer {
  readonly port: number;
  /** Copies the database to a file, keeping older copies. */
  snapshot(path: string, keep: number): void;
  /** Other commands that use this server; undefined where they cannot. */
  readonly attached: Welcome | undefined;
  /**
   * Accepts no more requests, answers those in flight, and closes the database. `areLost`: the command that started it has ended,
   * and the runners with it.
   */
  close(areLost?: boolean): Promise<void>;
}

/** Bytes of a body in the stream of requests. */
const API_EVENT_BODY_BYTES = 8_192;
/** A command waits for the end of its server. What is not sent by then is sent after the next start. */
const LAST_MESSAGES_MS = 2_000;
/** How often a server without writes checks whether its database is still in its place. */
const PLACE_MS = 1_000;

/** Opens the database, migrates it, and serves it. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { database: path, host, port, now = Date.now, onError, onNotice, onBroken, onLock } = options;
  const broken = (real: string) => (error: unknown) => {
    const isDamaged = isDatabaseDamage(error);
    if (isDamaged && path !== ':memory:') markDamage(real, (error as Error).message, now());
    onBroken(error, isDamaged);
  };
  const { access, adminSql, bulkMebibytes, bodyGraceMs } = options;
  // First, because an invalid file of users must not leave anything behind.
  const login = loginOf(options, now);
  const wasEmpty = path === ':memory:' || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  if (wasEmpty && path !== ':memory:') refuseLostFile(path);
  const owned = path === ':memory:' ? undefined : ownDatabase(path, process.pid, options);
  try {
    const db = openDatabase(path);
    if (path !== ':memory:' && options.trustsOwner !== true) refuseForeign(path);
    const real = path === ':memory:' ? path : realpathSync(path);
    if (path !== ':memory:') {
      refuseDamaged(real);
      if (!wasEmpty) refuseLostChanges(db, real);
      migrateDatabase(db, path, (from) => {
        const copy = copyBeforeMigration(db, real);
        onNotice?.('The tables of the database change with this version of torc', {
          from,
          to: migrations.length,
          copy,
        });
      });
    }
    const acknowledged = path === ':memory:' ? undefined : openAcknowledged(db, real);
    const checkpoints = path === ':memory:' ? undefined : createCheckpoints(db, path);
    const uptimeMs = options.now === undefined ? () => uptime() * 1000 : undefined;
    const store = createStore(db, {
      now,
      uptimeMs,
      onBroken: broken(real),
      onLock,
      onError,
      jobLimits: options.jobLimits,
      checkpoints,
      acknowledged,
    });
    await store.turns.write(() => giveBackOpenClaims(store));
    const traffic = createTrafficLog(now);
    const reader = path === ':memory:' ? undefined : createReader(path);
    const onUnread: OnUnread = (reason, facts) => onNotice?.('A reply was ended', { reason, ...facts });
    const [bodyRoom, replyRoom] = [createBodyRoom(), createReplyRoom(onUnread)];
    const telemetry = await telemetryOf(options, login, { room: bodyRoom, answerInTurn: answersInTurn(replyRoom) });
    const notifier = createNotifier(store, {
      ...(options.notify ?? NO_RECEIVERS),
      onError,
      onNotice: (...said) => onNotice?.(...said),
    });
    const app = createApp(store, {
      notifier,
      login,
      access,
      database: path,
      adminSql,
      traffic,
      reader,
      bodyRoom,
      replyRoom,
      agents: options.agents,
      metrics: options.metrics,
      page: options.withoutPage === true ? undefined : createLoadPage(),
      frameOrigins: options.frameOrigins,
      recoveries: options.recoveries,
      telemetry: telemetry?.ask,
      bulkMebibytes,
      bodyGraceMs,
      onNotice,
      onError,
    });
    const welcome = options.attach === undefined ? undefined : createWelcome(options.credential ?? '');
    const listeners = await listen(host, port, () => {
      const server = serverOf(app.fetch, options, { telemetry, waitingWrites: () => store.turns.waiting });
      endUnread(server, onUnread);
      welcome?.listenOn(server);
      watchTraffic(server, traffic, options.apiEventBodyBytes ?? API_EVENT_BODY_BYTES, now);
      return server;
    });
    let address: { remove(): void } | undefined;
    try {
      address = announce(options, portOf(listeners[0] as Server), now);
    } catch (error) {
      for (const listener of listeners) listener.close();
      throw error;
    }
    const upkeep = startUpkeep(store);
    const { spans: target } = options;
    const spans = target && (await import('./spans/send.ts')).createSpanSender(store, target, onNotice);
    await notifier.start();
    const watch = setInterval(() => {
      try {
        db.assertInPlace();
      } catch (error) {
        onBroken(error, false);
      }
    }, PLACE_MS);
    watch.unref();
    return {
      port: portOf(listeners[0] as Server),
      snapshot: (target, keep) => snapshot(db, target, keep),
      attached: welcome,
      async close(areLost = false) {
        clearInterval(watch);
        welcome?.close();
        await notifier.close(LAST_MESSAGES_MS, areLost).catch(onError);
        // Unfinished work continues when the server is started again.
        store.works.stop();
        store.releases.stop();
        await Promise.all(listeners.map(drain));
        await reader?.close();
        await telemetry?.close();
        await upkeep.stop();
        await store.turns.idle();
        await spans?.close();
        await login.close();
        await checkpoints?.close();
        const isWhole = path === ':memory:' || emptyLog(db, path, onNotice);
        db.close();
        if (isWhole) acknowledged?.remove();
        // Not before: who finds the lock held and no address would take this for a server that no command can attach to.
        address?.remove();
        owned?.release();
      },
    };
  } catch (error) {
    owned?.release();
    throw error;
  }
}

/** Writes where this server answers beside its database; the server goes on without if that cannot be done. */
function announce(
  { attach, credential, database, onNotice }: ServeOptions,
  port: number,
  now: () => number,
): { remove(): void } | undefined {
  if (attach === undefined || credential === undefined) return undefined;
  const { beside, ...process } = attach;
  const url = `http://127.0.0.1:${port}${BASE_PATH}`;
  const since = new Date(now()).toISOString();
  try {
    return writeAddress(beside, { url, credential, ...process, since, inMemory: database === ':memory:' });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    onNotice?.('Other commands cannot attach to this server', { database, error: (error as Error).message });
    return undefined;
  }
}

function loginOf({ credential, access }: ServeOptions, now: () => number): LoginCheck {
  if (credential !== undefined) return credentialLogin(credential);
  return access?.usersFile === undefined ? openLogin : usersLogin(access.usersFile, access, now);
}

/** Telemetry is loaded only where it is received. */
async function telemetryOf(
  { sonarStore, sonarHotDays, sonarKeptDays, access, onNotice }: ServeOptions,
  login: LoginCheck,
  given: Pick<ReceiverOptions, 'room' | 'answerInTurn'>,
): Promise<Receiver | undefined> {
  if (sonarStore === undefined) return undefined;
  const { createReceiver } = await import('../telemetry/serve/receiver.ts');
  return createReceiver({
    path: sonarStore,
    viewerOf: viewerBy(login, access),
    ...given,
    hotDays: sonarHotDays,
    keptDays: sonarKeptDays,
    onNotice,
  });
}

/**
 * Copies a database in memory to a file, keeping `keep` copies: `path`, `path.1` and so on, newest first.
 *
 * The copy is written beside its destination and moved there, so that the file at `path` is always complete.
 */
function snapshot(db: Database, path: string, keep: number): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  // Created here, and only if no other process has created it meanwhile: SQLite would follow a link, and let every user read
  // the file.
  closeSync(openSync(fresh, 'wx', 0o600));
  db.prepare<{ fresh: string }>('vacuum into :fresh').run({ fresh });
  for (let age = keep - 1; age >= 1; age -= 1) {
    const younger = age === 1 ? path : `${path}.${age - 1}`;
    if (existsSync(younger)) renameSync(younger, `${path}.${age}`);
  }
  renameSync(fresh, path);
}
