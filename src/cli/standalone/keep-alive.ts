import { existsSync } from 'node:fs';
import type { Output } from '../output/output.ts';
import type { FullDisk } from './full-disk.ts';
import { endWords, late, RefusedStart, type ServerProcess } from './server-process.ts';

/** A server that is started again when it dies. */
export interface KeptServer {
  /** The process that lives, or the last one that did. */
  current(): ServerProcess;
  /** Why none is started any more; undefined while one is. */
  refused(): string | undefined;
  /** It is started no more; resolves when no start is under way. */
  leave(): Promise<void>;
}

/**
 * Pauses before a server that died is started again, on the same port: none, this one, and then doubling up to the longest. The
 * disk may be full for a while, and the runner waits for its server for 20 minutes unless its workflow says otherwise.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A server that lived for so long does not end because of what ended the last one. */
const LIVED_MS = 30_000;

/** Starts the server of this database again whenever it ends, until `leave`, or until its database is gone. */
export function keepAlive(
  first: ServerProcess,
  {
    database,
    output,
    disk,
    startAgain,
  }: {
    readonly database: string;
    readonly output: Output;
    readonly disk: Pick<FullDisk, 'isKnown'>;
    /** Undefined where another server has the database. */
    readonly startAgain: (port: number) => Promise<ServerProcess | undefined>;
  },
): KeptServer {
  const left = Promise.withResolvers<void>();
  let isLeft = false;
  let refused: string | undefined;
  let current = first;
  let pauseMs = 0;
  let restarting: Promise<void> = Promise.resolve();

  const watch = (server: ServerProcess) => {
    current = server;
    const startedMs = performance.now();
    void server.ended.then((end) => {
      if (performance.now() - startedMs >= LIVED_MS) pauseMs = 0;
      restarting = restart(`the standalone torc-server ended (${endWords(end)})`);
    });
  };
  const restart = async (failure: string): Promise<void> => {
    let failed = failure;
    while (!isLeft) {
      if (!existsSync(database))
        return output.error(`${failed}, and its database ${database} is gone: it is not started again`);
      if (!disk.isKnown()) output.warn(`${failed}; starting it again${pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`}`);
      await Promise.race([late(pauseMs), left.promise]);
      pauseMs = pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (isLeft) return;
      try {
        const next = await startAgain(first.port);
        if (next !== undefined) return watch(next);
        failed = `another torc-server has the database ${database}`;
      } catch (error) {
        failed = (error as Error).message;
        if (!(error instanceof RefusedStart)) continue;
        refused = `${failed}. It is not started again; results of running jobs are kept for the next runner`;
        output.error(refused);
        return;
      }
    }
  };

  watch(first);
  return {
    current: () => current,
    refused: () => refused,
    async leave() {
      isLeft = true;
      left.resolve();
      await restarting;
    },
  };
}

/** A database in memory is lost with its server, so that one is not started again. */
export function notKept(only: ServerProcess): KeptServer {
  let refused: string | undefined;
  void only.ended.then((end) => {
    refused = `the standalone torc-server ended (${endWords(end)}), and its database was in its memory`;
  });
  return { current: () => only, refused: () => refused, leave: async () => {} };
}
