import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { repeatEvery } from '../../client/long-timers.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import { randomBytes } from '../../cluster/random-bytes.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import type { Address } from '../../server/attach/address.ts';
import type { Settings } from '../command/settings.ts';
import type { Output } from '../output/output.ts';
import { attachTo } from './attach-to.ts';
import { copyDatabase, endServer, untilClosed } from './end-server.ts';
import { createFullDisk } from './full-disk.ts';
import { type Away, keepAlive, type UsedServer } from './keep-alive.ts';
import { startServerProcess } from './server-process.ts';

/** The server that a `-s` command uses: one that it started, or that of another command. */
export interface Standalone {
  readonly url: string;
  /** Only requests that carry it are answered. It is sent only while `away` gives undefined. */
  readonly credential: string;
  /** It was started by this command, and not by another one. */
  readonly isOwn: boolean;
  /** Why nothing can be changed there; undefined where commands may change something. */
  readonly readsOnly?: string;
  /** Why no server has the address now that has proved to be the one; undefined while one has. */
  away(): Away | undefined;
  /** Ends the use of it. A server that no other command uses ends; a database in memory is copied to its file first. */
  stop(): Promise<void>;
}

export interface StandaloneStart {
  readonly settings: Settings;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly umask: string;
}

/** How often a message says that it goes on like this. */
const SAY_AGAIN_MS = 30_000;

/** A server of this command's own. Undefined where another server has the database. Throws a Failure where it does not start. */
export async function startStandalone(opening: StandaloneStart): Promise<Standalone | undefined> {
  const { settings, output, umask } = opening;
  const { database, inMemory } = settings;
  // Its server and the runner make the other folders, as private as their options say.
  makeFolder(dirname(database), 0o777 & ~Number.parseInt(umask, 8));
  const credential = randomBytes(32).toString('base64url');
  const starts = createStarts(opening, credential);
  const own = await starts.start(0, inMemory);
  if (own === undefined) return undefined;
  const url = `http://127.0.0.1:${own.port}${BASE_PATH}`;
  output.notice(`Started standalone torc-server on ${url} (db: ${inMemory ? ':memory:' : database})`);
  if (inMemory && existsSync(database))
    output.warn(`${database} exists and will be replaced by the copy of this run; name another --db to keep it`);
  return kept({ own }, { url, credential, inMemory }, opening, starts);
}

/** The server of another command; undefined where none answers at this address. */
export async function attachStandalone(address: Address, opening: StandaloneStart): Promise<Standalone | undefined> {
  const { output, settings } = opening;
  const { database } = settings;
  const attachment = await attachTo(address);
  if (attachment === undefined) return undefined;
  const { url, credential, pid, inMemory } = address;
  const where = inMemory ? `in memory, copied to ${database} at the end` : database;
  output.notice(
    `Attached to standalone torc-server on ${url} (db: ${where}), which another command started (process ${pid})`,
  );
  if (settings.inMemory && !inMemory)
    output.warn(`--in-memory has no effect: the database ${database} is on disk there`);
  return kept({ attachment, pid }, address, opening, createStarts(opening, credential));
}

/** Starts of the server of one command: a message that each of them repeats is printed now and then. */
function createStarts({ settings, output, environment, umask }: StandaloneStart, credential: string) {
  const print = sayOnce((line) => output.detail(`[torc-server] ${line}`));
  const disk = createFullDisk(settings.database, output);
  // A first start that finds no room is refused, and waits for none.
  let isStarted = false;
  const say = (line: string) => (isStarted && disk.heard(line) ? undefined : print(line));
  /** The database is in memory where the server that is used has it there, whatever the options of this command say. */
  const start = (port: number, inMemory: boolean) =>
    startServerProcess({ settings: { ...settings, inMemory }, environment, umask, credential, port, say });
  return { disk, start, started: () => void (isStarted = true) };
}

function kept(
  first: UsedServer,
  address: Pick<Address, 'url' | 'credential' | 'inMemory'>,
  { settings: { database, serverProgram, snapshotIntervalSeconds }, output }: StandaloneStart,
  { disk, start, started }: ReturnType<typeof createStarts>,
): Standalone {
  const { url, credential, inMemory } = address;
  started();
  const startAgain = () => start(Number(new URL(url).port), false);
  const server = keepAlive(first, { address, database, output, disk, start: startAgain });
  const copy = async () => {
    const used = server.current();
    if (inMemory && 'own' in used) await copyDatabase(used.own, database, output);
  };
  const timer =
    inMemory && 'own' in first && snapshotIntervalSeconds !== undefined
      ? repeatEvery(snapshotIntervalSeconds * 1000, () => void copy()).unref()
      : undefined;

  let isStopping = false;
  return {
    url,
    credential,
    isOwn: 'own' in first,
    away: server.away,
    async stop() {
      timer?.cancel();
      if (isStopping) return;
      isStopping = true;
      await server.leave();
      await copy();
      const used = server.current();
      if ('own' in used) await endServer(used.own, { database, serverProgram, output });
      else if (await used.attachment.leave()) await untilClosed(database, credential);
    },
  };
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
