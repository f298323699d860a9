import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { randomBytes } from '../../cluster/random-bytes.ts';
import { repeatEvery } from '../../client/long-timers.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import type { Output } from '../output/output.ts';
import type { Settings } from '../command/settings.ts';
import { createFullDisk } from './full-disk.ts';
import { keepAlive, type KeptServer, notKept } from './keep-alive.ts';
import { late, startServerProcess } from './server-process.ts';

/** The server that a `-s` command uses: one that it started, or that of another command. */
export interface Standalone {
  readonly url: string;
  /** Only requests that carry it are answered. */
  readonly credential: string;
  /** It was started by this command, and not by another one. */
  readonly isOwn: boolean;
  /** Why nothing can be changed there; undefined where commands may change something. */
  readonly readsOnly?: string;
  /** Why its server does not run and is not started again; undefined while there is hope. */
  refused(): string | undefined;
  /** Ends the use of it. A server that no other command uses ends; a database in memory is copied to its file first. */
  stop(): Promise<void>;
}

/** Our own server reports within this time that others use it, or has ended; killed, it would be taken from the others. */
const STOP_MS = 10_000;
/** A program that was named is to end within this time, as Torc's server does. */
const STOP_NAMED_MS = 2_000;
/** How long the end of commands is waited for that use the server, before this one ends without them. */
const STAY_MS = 500;
const SNAPSHOT_MS = 5_000;
/** How often a message says that it goes on like this. */
const SAY_AGAIN_MS = 30_000;

/** How long a server may take that is starting, or ending: one that starts migrates its database first. */
export const SERVER_PATIENCE_MS = 15_000;
export const SERVER_PAUSE_MS = 50;

export interface StandaloneStart {
  readonly settings: Settings;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly umask: string;
}

/**
 * Starts a server of this command's own. Undefined where another server has the database. `known`: by what the commands know it
 * that used the one before it.
 */
export async function startStandalone(
  { settings, output, environment, umask }: StandaloneStart,
  known: { readonly port: number; readonly credential: string } = {
    port: 0,
    credential: randomBytes(32).toString('base64url'),
  },
): Promise<Standalone | undefined> {
  const { database, inMemory, snapshotIntervalSeconds } = settings;
  // Its server and the runner make the other folders, as private as their options say.
  makeFolder(dirname(database), 0o777 & ~Number.parseInt(umask, 8));
  const { credential } = known;
  const print = sayOnce((line) => output.detail(`[torc-server] ${line}`));
  const disk = createFullDisk(database, output);
  // A first start that finds no room is refused, and waits for none.
  let isStarted = false;
  const say = (line: string) => (isStarted && disk.heard(line) ? undefined : print(line));
  const start = async (port: number) => startServerProcess({ settings, environment, umask, credential, port, say });
  const first = await start(known.port);
  if (first === undefined) return undefined;
  isStarted = true;
  const server = inMemory ? notKept(first) : keepAlive(first, { database, output, disk, startAgain: start });

  const url = `http://127.0.0.1:${first.port}${BASE_PATH}`;
  output.notice(`Started standalone torc-server on ${url} (db: ${inMemory ? ':memory:' : database})`);
  if (inMemory && existsSync(database))
    output.warn(`${database} exists and will be replaced by the copy of this run; name another --db to keep it`);
  const timer =
    inMemory && snapshotIntervalSeconds !== undefined
      ? repeatEvery(snapshotIntervalSeconds * 1000, () => void copy(server, settings, output)).unref()
      : undefined;

  let isStopping = false;
  return {
    url,
    credential,
    isOwn: true,
    refused: server.refused,
    async stop() {
      timer?.cancel();
      if (isStopping) return;
      isStopping = true;
      await server.leave();
      if (inMemory) await copy(server, settings, output);
      await end(server, settings, output);
    },
  };
}

/** Lets a server copy its database in memory to the file. */
async function copy(server: KeptServer, { database }: Settings, output: Output): Promise<void> {
  const { copied, signal, ended } = server.current();
  const done = copied();
  signal('SIGUSR1');
  const heard = await Promise.race([done, late(SNAPSHOT_MS), ended]);
  if (heard !== true) output.warn(`timed out waiting for final snapshot to ${database}`);
}

async function end(server: KeptServer, { database, serverProgram }: Settings, output: Output): Promise<void> {
  const { pid, stays, ended, endInput, release, signal } = server.current();
  endInput();
  const first = await Promise.race([ended, stays, late(serverProgram === undefined ? STOP_MS : STOP_NAMED_MS)]);
  if (first === 'stays' && (await Promise.race([ended, late(STAY_MS)])) === undefined) {
    output.notice(
      `The torc-server goes on for other commands that use ${database} (process ${pid}); it ends with the last of them`,
    );
    release();
    return;
  }
  if (first === undefined) signal('SIGKILL');
  await ended;
}

/** Says a line that is said again and again only now and then: a full disk says the same at each start of the server. */
function sayOnce(say: (line: string) => void): (line: string) => void {
  let last = '';
  let atMs = 0;
  return (line) => {
    // Log lines begin with their time.
    const words = line.replace(/^\S+Z /, '');
    if (words === last && performance.now() - atMs < SAY_AGAIN_MS) return;
    [last, atMs] = [words, performance.now()];
    say(line);
  };
}
