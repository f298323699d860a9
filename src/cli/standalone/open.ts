import { pause } from '../../client/long-timers.ts';
import { placeOfProcesses, startOf } from '../../cluster/host/start-of.ts';
import { type Address, type BesideDatabase, readAddress, removeStale } from '../../server/attach/address.ts';
import { ownerOf } from '../../server/store/own.ts';
import { Failure } from '../command/failure.ts';
import type { Output } from '../output/output.ts';
import type { Settings } from '../command/settings.ts';
import { type Attachment, attachTo } from './attach.ts';
import { refuseMissing } from './missing-database.ts';
import { type ReadOnlyCopy, readOnlyCopy } from './read-only-copy.ts';
import { type Standalone, startStandalone } from './start.ts';

interface Opening {
  readonly settings: Settings;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly umask: string;
  /** A database that is missing is made; for a command that needs what is in it that is refused. */
  readonly makesDatabase: boolean;
}

/** How long a server may take that is starting, or ending: one that starts migrates its database first. */
const PATIENCE_MS = 15_000;
const PAUSE_MS = 50;

/**
 * The server of a `-s` command: that of another command of this user where one has the database, otherwise its own.
 *
 * The file beside the database says where to ask, and the server proves that it is the one. The lock of the database decides
 * whether another one may be started: a server that is just starting has no address yet, and one that is ending answers no
 * more, so both are waited for.
 */
export async function openStandalone(opening: Opening): Promise<Standalone> {
  const { settings, output, environment, umask, makesDatabase } = opening;
  const { database, inMemory } = settings;
  const copied = readOnlyCopy(database, settings.trustsOwner);
  if (copied !== undefined) return openCopy(copied, opening);
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const beside = readAddress(database);
    const attached = beside.kind === 'address' ? await attach(beside.address, settings, output) : undefined;
    if (attached !== undefined) return attached;

    const why = whyNotStart(beside, database, performance.now() >= untilMs);
    if (why instanceof Failure) throw why;
    if (why === undefined) {
      // A server on disk replaces the file itself, once it has the lock.
      if (inMemory && beside.kind === 'address') removeStale(beside);
      if (!makesDatabase) refuseMissing(database, environment, settings.trustsOwner);
      const started = await startStandalone(settings, output, environment, umask);
      if (started !== undefined) return started;
    }
    await pause(PAUSE_MS);
  }
}

/** A server on a copy, for commands that only read. */
async function openCopy(copied: ReadOnlyCopy, { settings, output, environment, umask }: Opening): Promise<Standalone> {
  try {
    const started = await startStandalone({ ...settings, database: copied.database }, output, environment, umask);
    if (started === undefined) throw new Failure(`${copied.database} is in use by another torc-server`);
    output.notice(`${settings.database} is on a read-only file system: this is a copy of it`);
    return {
      ...started,
      readsOnly: `${settings.database} is on a read-only file system, where it can be read and not changed: copy its folder to another place, and name the copy with --db`,
      stop: () => started.stop().finally(copied.remove),
    };
  } catch (error) {
    copied.remove();
    throw error;
  }
}

async function attach(
  address: Address,
  { database, inMemory }: Settings,
  output: Output,
): Promise<Standalone | undefined> {
  const attachment = await attachTo(address);
  if (attachment === undefined) return undefined;
  const { url, credential, pid } = address;
  const where = address.inMemory ? `in memory, copied to ${database} at the end` : database;
  output.notice(
    `Attached to standalone torc-server on ${url} (db: ${where}), which another command started (process ${pid})`,
  );
  if (inMemory && !address.inMemory)
    output.warn(`--in-memory has no effect: the database ${database} is on disk there`);
  let current = attachment;
  let isLeaving = false;
  const watch = (): void =>
    void current.ended.then(async () => {
      if (isLeaving) return;
      output.warn(`the standalone torc-server (process ${pid}) has ended`);
      const again = await attachAgain(address, database, () => isLeaving, output);
      if (again === undefined) return;
      current = again;
      if (isLeaving) await current.leave();
      else watch();
    });
  watch();
  return {
    url,
    credential,
    isOwn: false,
    refused: () => undefined,
    async stop() {
      isLeaving = true;
      if (await current.leave()) await untilEnded(address, database);
    },
  };
}

/**
 * Attaches to the same server when it was started again: the command that started it does that, on the same address. Without
 * this the server would not know that it is used, and would end with that command.
 */
async function attachAgain(
  { url, credential }: Address,
  database: string,
  isLeaving: () => boolean,
  output: Output,
): Promise<Attachment | undefined> {
  const lateMs = performance.now() + PATIENCE_MS;
  let isReported = false;
  while (!isLeaving()) {
    const beside = readAddress(database);
    const isSame = beside.kind === 'address' && beside.address.url === url && beside.address.credential === credential;
    const attached = isSame ? await attachTo(beside.address) : undefined;
    if (attached !== undefined) {
      output.notice(`Attached again to the standalone torc-server on ${url}, which was started again`);
      return attached;
    }
    if (!isReported && performance.now() >= lateMs) {
      isReported = true;
      output.warn(
        'no command starts the standalone torc-server again. Running jobs go on, and the runner keeps their results; end it with Ctrl-C, and resume with another -s command',
      );
    }
    await pause(PAUSE_MS);
  }
  return undefined;
}

/** Waits until a server that ends has closed its database: what comes after this command may copy or open it. */
async function untilEnded({ credential }: Address, database: string): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  const isThere = () => {
    const beside = readAddress(database);
    return (beside.kind === 'address' && beside.address.credential === credential) || ownerOf(database) !== undefined;
  };
  while (isThere() && performance.now() < untilMs) await pause(PAUSE_MS);
}

/** Why no server can be started now: a failure, something that will be over soon, or undefined where nothing stands against it. */
function whyNotStart(beside: BesideDatabase, database: string, isLate: boolean): Failure | 'soon' | undefined {
  const owner = ownerOf(database);
  if (owner === undefined) {
    if (beside.kind !== 'address' || !beside.address.inMemory) return undefined;
    const state = stateOf(beside.address);
    if (state === 'ended') return undefined;
    if (state === 'runs' && !isLate) return 'soon';
    return new Failure(
      `the database ${database} is in the memory of torc-server ${beside.address.pid} on ${beside.address.host}, since ${beside.address.since}, which does not answer here; run this command there, or remove ${beside.path} if that process has ended`,
    );
  }
  const who =
    owner === 'unknown' ? 'another torc-server' : `torc-server ${owner.pid} on ${owner.host}, since ${owner.since}`;
  const inUse = `the database ${database} is in use by ${who}`;
  if (!isLate && (owner === 'unknown' || isStarting(beside, Date.parse(owner.since)))) return 'soon';
  if (beside.kind === 'unusable')
    return new Failure(`${inUse}, and -s cannot attach to it: ${beside.path} is not trusted, because ${beside.why}`);
  if (beside.kind === 'address' && isElsewhere(beside.address))
    return new Failure(`${inUse}; -s attaches to it on that machine only: run this command there`);
  // It answers no more because it is ending, or not yet because it is started again.
  if (!isLate && beside.kind === 'address') return 'soon';
  if (beside.kind === 'nothing')
    return new Failure(
      `${inUse}, which no -s command started; use it with --url and without -s, or name another file with --db`,
    );
  return new Failure(`${inUse}, which does not answer at ${beside.address.url}`);
}

/** Will the owner of the lock still write its address? What stands there may be older. */
function isStarting(beside: BesideDatabase, sinceMs: number): boolean {
  if (beside.kind === 'unusable') return beside.changedAtMs < sinceMs;
  return beside.kind === 'nothing' && Date.now() < sinceMs + PATIENCE_MS;
}

/** Its process numbers have no meaning here: another machine, or another container. */
const isElsewhere = ({ start }: Address): boolean => !start.startsWith(`${placeOfProcesses()} `);

function stateOf(address: Address): 'runs' | 'ended' | 'unknown' {
  if (!isElsewhere(address)) return startOf(address.pid) === address.start ? 'runs' : 'ended';
  return 'unknown';
}
