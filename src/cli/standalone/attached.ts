import { existsSync } from 'node:fs';
import { pause } from '../../client/long-timers.ts';
import { type Address, readAddress } from '../../server/attach/address.ts';
import { ownerOf } from '../../server/store/own.ts';
import { type Attachment, attachTo } from './attach.ts';
import { RefusedStart } from './server-process.ts';
import {
  SERVER_PATIENCE_MS,
  SERVER_PAUSE_MS,
  type Standalone,
  type StandaloneStart,
  startStandalone,
} from './start.ts';

/**
 * How long the command that started a server has to start it again, before one that uses it does: it may have been killed as well, or
 * have given up. Shorter, and both start one where the machine is slow; the lock of the database lets one of them go on.
 */
const TAKE_OVER_MS = 5_000;
/** Between two starts: the disk may be full for a while. */
const START_PAUSE_MS = 5_000;

/** The server of another command; undefined where none answers at this address. */
export async function attach(address: Address, opening: StandaloneStart): Promise<Standalone | undefined> {
  const { output, settings } = opening;
  const { database, inMemory } = settings;
  const attachment = await attachTo(address);
  if (attachment === undefined) return undefined;
  const { url, credential, pid } = address;
  const where = address.inMemory ? `in memory, copied to ${database} at the end` : database;
  output.notice(
    `Attached to standalone torc-server on ${url} (db: ${where}), which another command started (process ${pid})`,
  );
  if (inMemory && !address.inMemory)
    output.warn(`--in-memory has no effect: the database ${database} is on disk there`);
  let current: Attachment = attachment;
  let own: Standalone | undefined;
  let refused: string | undefined;
  let isLeaving = false;
  let finding: Promise<void> = Promise.resolve();

  const watch = (): void =>
    void current.ended.then(() => {
      if (isLeaving) return;
      output.warn(`the standalone torc-server (process ${pid}) has ended`);
      finding = findNext();
    });
  const findNext = async (): Promise<void> => {
    const next = await nextServer(address, opening, () => isLeaving);
    if (next === undefined) return;
    if (typeof next === 'string') {
      refused = `${next}. Results of running jobs are kept for the next runner`;
      return output.error(refused);
    }
    if ('leave' in next) {
      current = next;
      watch();
    } else own = next;
  };
  watch();
  return {
    url,
    credential,
    isOwn: false,
    refused: () => refused ?? own?.refused(),
    async stop() {
      isLeaving = true;
      await finding;
      if (own !== undefined) return own.stop();
      if (await current.leave()) await untilEnded(address, database);
    },
  };
}

/**
 * The server that goes on for one that has ended, on the same address: that of the command that started it, which starts it again, or one
 * of our own if it does not. A string says why there is none, and undefined that none is wanted any more.
 */
async function nextServer(
  { url, credential, inMemory }: Address,
  opening: StandaloneStart,
  isLeaving: () => boolean,
): Promise<Attachment | Standalone | string | undefined> {
  const { output, settings } = opening;
  const { database } = settings;
  if (inMemory) return `the database ${database} was in the memory of the torc-server that has ended`;
  let startMs = performance.now() + TAKE_OVER_MS;
  while (!isLeaving()) {
    const beside = readAddress(database);
    const isSame = beside.kind === 'address' && beside.address.url === url && beside.address.credential === credential;
    const attached = isSame ? await attachTo(beside.address) : undefined;
    if (attached !== undefined) {
      output.notice(`Attached again to the standalone torc-server on ${url}, which was started again`);
      return attached;
    }
    if (performance.now() >= startMs && ownerOf(database) === undefined) {
      if (!existsSync(database)) return `the database ${database} of the torc-server that has ended is gone`;
      try {
        const started = await startStandalone(opening, { port: Number(new URL(url).port), credential });
        if (started !== undefined) return started;
      } catch (error) {
        if (error instanceof RefusedStart) return (error as Error).message;
        output.warn(`${(error as Error).message}; starting it again in ${START_PAUSE_MS / 1000} s`);
      }
      startMs = performance.now() + START_PAUSE_MS;
    }
    await pause(SERVER_PAUSE_MS);
  }
  return undefined;
}

/** Waits until a server that ends has closed its database: what comes after this command may copy or open it. */
async function untilEnded({ credential }: Address, database: string): Promise<void> {
  const untilMs = performance.now() + SERVER_PATIENCE_MS;
  const isThere = () => {
    const beside = readAddress(database);
    return (beside.kind === 'address' && beside.address.credential === credential) || ownerOf(database) !== undefined;
  };
  while (isThere() && performance.now() < untilMs) await pause(SERVER_PAUSE_MS);
}
