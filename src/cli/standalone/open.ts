import { pause } from '../../client/long-timers.ts';
import { placeOfProcesses, startOf } from '../../cluster/host/start-of.ts';
import { type Address, type BesideDatabase, readAddress, removeStale } from '../../server/attach/address.ts';
import { ownerOf } from '../../server/store/own.ts';
import { Failure } from '../command/failure.ts';
import { SERVER_PATIENCE_MS, SERVER_PAUSE_MS } from './keep-alive.ts';
import { refuseMissing } from './missing-database.ts';
import { type ReadOnlyCopy, readOnlyCopy } from './read-only-copy.ts';
import { attachStandalone, type Standalone, type StandaloneStart, startStandalone } from './standalone.ts';

interface Opening extends StandaloneStart {
  /** A database that is missing is made; for a command that needs what is in it that is refused. */
  readonly makesDatabase: boolean;
}

/**
 * The server of a `-s` command: that of another command of this user where one has the database, otherwise its own.
 *
 * The file beside the database says where to ask, and the server proves that it is the one. The lock of the database decides
 * whether another one may be started: a server that is just starting has no address yet, and one that is ending answers no
 * more, so both are waited for.
 */
export async function openStandalone(opening: Opening): Promise<Standalone> {
  const { settings, environment, makesDatabase } = opening;
  const { database, inMemory } = settings;
  const copied = readOnlyCopy(database, settings.trustsOwner);
  if (copied !== undefined) return openCopy(copied, opening);
  const untilMs = performance.now() + SERVER_PATIENCE_MS;
  for (;;) {
    const beside = readAddress(database);
    const attached = beside.kind === 'address' ? await attachStandalone(beside.address, opening) : undefined;
    if (attached !== undefined) return attached;

    const why = whyNotStart(beside, database, performance.now() >= untilMs);
    if (why instanceof Failure) throw why;
    if (why === undefined) {
      // A server on disk replaces the file itself, once it has the lock.
      if (inMemory && beside.kind === 'address') removeStale(beside);
      if (!makesDatabase) refuseMissing(database, environment, settings.trustsOwner);
      const started = await startStandalone(opening);
      if (started !== undefined) return started;
    }
    await pause(SERVER_PAUSE_MS);
  }
}

/** A server on a copy, for commands that only read. */
async function openCopy(copied: ReadOnlyCopy, opening: Opening): Promise<Standalone> {
  const { settings, output } = opening;
  try {
    const started = await startStandalone({ ...opening, settings: { ...settings, database: copied.database } });
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
  return beside.kind === 'nothing' && Date.now() < sinceMs + SERVER_PATIENCE_MS;
}

/** Its process numbers have no meaning here: another machine, or another container. */
const isElsewhere = ({ start }: Address): boolean => !start.startsWith(`${placeOfProcesses()} `);

function stateOf(address: Address): 'runs' | 'ended' | 'unknown' {
  if (!isElsewhere(address)) return startOf(address.pid) === address.start ? 'runs' : 'ended';
  return 'unknown';
}
