import { existsSync } from 'node:fs';
import { pause } from '../../client/long-timers.ts';
import { type Address, readAddress } from '../../server/attach/address.ts';
import { ownerOf } from '../../server/store/own.ts';
import { Failure } from '../command/failure.ts';
import type { Output } from '../output/output.ts';
import { type Attachment, attachTo } from './attach-to.ts';
import type { FullDisk } from './full-disk.ts';
import { endWords, RefusedStart, type ServerProcess, START_MS } from './server-process.ts';

/** The server that a command uses: its own process, or that of another command. */
export type UsedServer = { readonly own: ServerProcess } | AttachedServer;

interface AttachedServer {
  readonly attachment: Attachment;
  /** Of the server. */
  readonly pid: number;
}

/** Why no request may be sent now: no server has proved that it is the one at the address. */
export interface Away {
  readonly why: string;
  /** None will. */
  readonly isForGood: boolean;
}

/** A server that goes on after its end, on the same address and with the same credential. */
export interface KeptServer {
  /** The one that is used, or the last one that was. */
  current(): UsedServer;
  /** Undefined while there is one. */
  away(): Away | undefined;
  /** None is looked for any more; resolves when no start is under way. */
  leave(): Promise<void>;
}

interface Keeping {
  readonly address: Pick<Address, 'url' | 'credential' | 'inMemory'>;
  readonly database: string;
  readonly output: Output;
  readonly disk: Pick<FullDisk, 'isKnown'>;
  /** Starts a server on disk at the address; undefined where another one has the database. */
  readonly start: () => Promise<ServerProcess | undefined>;
}

/** How long a server may take that is starting, or ending: one that starts migrates its database first. */
export const SERVER_PATIENCE_MS = 15_000;
export const SERVER_PAUSE_MS = 50;

/**
 * Pauses before a server of our own that died is started again: none, this one, and then doubling up to the longest. The disk may be full
 * for a while, and the runner waits for its server for 20 minutes unless its workflow says otherwise.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A server that lived for so long does not end because of what ended the last one. */
const LIVED_MS = 30_000;
/**
 * How long the command that started a server has to start it again, before one that uses it does: it may have been killed as well, or
 * have given up. Shorter, and both start one where the machine is slow; the lock of the database lets one of them go on.
 */
const TAKE_OVER_MS = 5_000;

/**
 * Goes on with another server whenever the one that is used ends, until `leave`: attaches to it where another command has started it, and
 * starts it otherwise.
 */
export function keepAlive(first: UsedServer, { address, database, output, disk, start }: Keeping): KeptServer {
  let isLeft = false;
  let away: Away | undefined;
  let current = first;
  let pauseMs = 0;
  let goingOn: Promise<void> = Promise.resolve();

  const use = (server: UsedServer) => {
    current = server;
    away = undefined;
    const sinceMs = performance.now();
    const ended =
      'own' in server
        ? server.own.ended.then((end) => `the standalone torc-server ended (${endWords(end)})`)
        : server.attachment.ended.then(() => `the standalone torc-server (process ${server.pid}) has ended`);
    void ended.then((words) => {
      if (isLeft) return;
      if (performance.now() - sinceMs >= LIVED_MS) pauseMs = 0;
      goingOn = goOn(words, 'own' in server ? nextPauseMs() : TAKE_OVER_MS);
    });
  };
  const nextPauseMs = () => {
    const nowMs = pauseMs;
    pauseMs = pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return nowMs;
  };
  const refuse = (reason: string, more = '. Results of running jobs are kept for the next runner') => {
    const why = `${reason}${more}`;
    away = { why, isForGood: true };
    output.error(why);
  };

  const goOn = async (ended: string, firstPauseMs: number): Promise<void> => {
    away = { why: ended, isForGood: false };
    if (address.inMemory) return refuse(`${ended}, and its database ${database} was in its memory`, '');
    const others = createOthers(address, database);
    const say = (failed: string, ms: number) => {
      if (!disk.isKnown())
        output.warn(`${failed}; starting it again${ms === 0 ? '' : ` in ${ms / 1000} s, unless another command does`}`);
      return performance.now() + ms;
    };
    let startMs = say(ended, firstPauseMs);
    while (!isLeft) {
      try {
        if (!existsSync(database))
          return refuse(`${ended}, and its database ${database} is gone: it is not started again`);
        const attached = await others.attached();
        if (attached !== undefined) {
          output.notice(`Attached again to the standalone torc-server on ${address.url} (process ${attached.pid})`);
          return use(attached);
        }
        if (performance.now() >= startMs) {
          const other = others.owner();
          if (other.isLasting) return refuse(`${other.words}; run the command again`);
          const own = other.isThere ? undefined : await start();
          if (own !== undefined) {
            if (!('own' in current))
              output.notice(`Started standalone torc-server on ${address.url} (db: ${database})`);
            return use({ own });
          }
        }
      } catch (error) {
        const { message } = error as Error;
        // What is no failure of a start is one of the database, or of the file beside it.
        if (error instanceof RefusedStart || !(error instanceof Failure))
          return refuse(`${message}. It is not started again`);
        startMs = say(message, nextPauseMs());
      }
      await pause(SERVER_PAUSE_MS);
    }
  };

  use(first);
  return {
    current: () => current,
    away: () => away,
    async leave() {
      isLeft = true;
      await goingOn;
    },
  };
}

/** Servers of other commands on a database: the one at our address, which is attached to, and one that took the database. */
function createOthers({ url, credential }: Keeping['address'], database: string) {
  let since: { readonly who: string; readonly atMs: number } | undefined;
  const beside = () => {
    const found = readAddress(database);
    if (found.kind !== 'address') return undefined;
    return { ...found.address, isOurs: found.address.url === url && found.address.credential === credential };
  };
  return {
    async attached(): Promise<AttachedServer | undefined> {
      const found = beside();
      if (found?.isOurs !== true) return undefined;
      const attachment = await attachTo(found);
      return attachment === undefined ? undefined : { attachment, pid: found.pid };
    },
    /** Has another server the database: for longer than one takes that starts at our address, or that ends? */
    owner() {
      const owner = ownerOf(database);
      if (owner === undefined) {
        since = undefined;
        return { isThere: false, isLasting: false, words: '' };
      }
      const who = owner === 'unknown' ? '' : ` (process ${owner.pid} on ${owner.host})`;
      if (since?.who !== who) since = { who, atMs: performance.now() };
      // The address of an earlier server stays until the next one listens.
      const patienceMs = beside()?.isOurs === false ? SERVER_PATIENCE_MS : START_MS;
      const isLasting = performance.now() - since.atMs >= patienceMs;
      return {
        isThere: true,
        isLasting,
        words: `another torc-server has the database ${database}${who}, and none answers at ${url}`,
      };
    },
  };
}
