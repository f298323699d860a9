import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, every, type Timer } from '../../client/long-timers.ts';
import { type Companion, startCompanion } from '../../cluster/exec.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { CREDENTIAL_VARIABLE } from '../credential-variable.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { packageRoot } from '../package-root.ts';
import type { Settings } from '../settings.ts';

/** The server that a `-s` command uses: one that it started, or that of another command. */
export interface Standalone {
  readonly url: string;
  /** Only requests that carry it are answered. */
  readonly credential: string;
  /** It was started by this command, and not by another one. */
  readonly isOwn: boolean;
  /** Ends the use of it. A server that no other command uses ends; a database in memory is copied to its file first. */
  stop(): Promise<void>;
}

/**
 * How long a server may take to start; one that cannot start ends and is not waited for. On a login node with a load of 60 on two
 * CPUs a start took more than 15 s, and the command failed for no other reason.
 */
const START_MS = 60_000;
/** Our own server tells within this time that others use it, or has ended; killed, it would be taken from the others. */
const STOP_MS = 10_000;
/** A program that was named is to end within this time, as Torc's server does. */
const STOP_NAMED_MS = 2_000;
/** How long the end of commands is waited for that use the server, before this one ends without them. */
const STAY_MS = 500;
const SNAPSHOT_MS = 5_000;
/**
 * Pauses before a server that died is started again, on the same port: none, this one, and then doubling up to the longest. The
 * disk may be full for a while, and the runner waits for its server for 20 minutes unless its workflow says otherwise.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** A server that lived for so long does not end because of what ended the last one. */
const LIVED_MS = 30_000;
/** How often a person is told that it goes on like this. */
const SAY_AGAIN_MS = 30_000;

/**
 * Starts a server as a child process: it never shares the heap of the runner, whose launches would slow down with it.
 *
 * Undefined where another server has the database.
 */
export async function startStandalone(
  settings: Settings,
  output: Output,
  environment: Readonly<Record<string, string | undefined>>,
  umask: string,
): Promise<Standalone | undefined> {
  const { database, inMemory, snapshotIntervalSeconds } = settings;
  const credential = randomBytes(32).toString('base64url');
  // Its server and the runner make the other folders, as private as they are told to.
  mkdirSync(dirname(database), { recursive: true, mode: 0o777 & ~Number.parseInt(umask, 8) });

  let server: Companion;
  let port = 0;
  let isStopping = false;
  let pauseMs = 0;
  let startedMs = 0;
  /** What the server said last, and when that was told: a full disk says the same at each start. */
  const told = { line: '', atMs: 0 };
  const tell = (line: string, say: (line: string) => void) => {
    // Log lines begin with their time.
    const words = line.replace(/^\S+Z /, '');
    if (words === told.line && performance.now() - told.atMs < SAY_AGAIN_MS) return;
    Object.assign(told, { line: words, atMs: performance.now() });
    say(line);
  };
  let stopped: () => void = () => {};
  const stopping = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let restarting: Promise<void> = Promise.resolve();
  let heardSnapshot: () => void = () => {};
  let heardStays: () => void = () => {};
  const stays = new Promise<'stays'>((resolve) => {
    heardStays = () => resolve('stays');
  });
  let timer: Timer | undefined;

  /** False where another server has the database. */
  const launch = async (): Promise<boolean> => {
    const [program, ...args] = programOf(settings);
    let heardPort: (port: number) => void = () => {};
    let refusal = '';
    // What a server says that does not start is told when it is known whether that matters.
    let early: string[] | undefined = [];
    const say = (line: string) => tell(line, (text) => output.notice(`[torc-server] ${text}`));
    const tellEarly = () => {
      early?.forEach(say);
      early = undefined;
    };
    const started = new Promise<number>((resolve) => {
      heardPort = resolve;
    });
    try {
      server = await startCompanion(
        program as string,
        [
          ...args,
          'run',
          '--host',
          '127.0.0.1',
          '--port',
          String(port),
          '--database',
          inMemory ? ':memory:' : database,
          '--shutdown-on-stdin-eof',
        ],
        {
          environment: {
            ...environment,
            // Its coming and going is said by us; what it has to say beyond that is worth reading.
            RUST_LOG: settings.logLevel === 'info' ? 'warn' : settings.logLevel,
            TORC_UMASK: umask,
            [CREDENTIAL_VARIABLE]: credential,
            ...(inMemory ? { TORC_SERVER_SNAPSHOT_PATH: database, TORC_SERVER_SNAPSHOT_KEEP: '1' } : {}),
          },
          onLine(line) {
            const found = /^TORC_SERVER_PORT=(\d+)$/.exec(line);
            if (found !== null) heardPort(Number(found[1]));
            if (line.startsWith('TORC_SNAPSHOT_DONE=')) heardSnapshot();
            if (line.startsWith('TORC_SERVER_STAYS=')) heardStays();
            refusal = /^TORC_SERVER_REFUSED=(\w+)$/.exec(line)?.[1] ?? refusal;
          },
          onErrorLine: (line) => (early === undefined ? say(line) : void early.push(line)),
        },
      );
    } catch (cause) {
      throw new Failure(
        `Error starting standalone torc-server: failed to spawn ${program}: ${(cause as Error).message}`,
        { cause },
      );
    }
    const ended = server.ended.then(({ code, signal }) => ({ code, signal }));
    const first = await Promise.race([started, ended, late(START_MS)]);
    if (first !== undefined && typeof first !== 'number' && refusal === 'DATABASE_IN_USE') return false;
    tellEarly();
    if (typeof first === 'number') {
      port = first;
      startedMs = performance.now();
      void ended.then((end) => {
        restarting = restart(end);
      });
      return true;
    }
    server.signal('SIGKILL');
    throw new Failure(
      `Error starting standalone torc-server: ${first === undefined ? `it did not start within ${START_MS / 1000} s; is this machine overloaded?` : `it ended at once (${endWords(first)}); its own words stand above`}`,
    );
  };

  const restart = async (end: { code: number | null; signal: NodeJS.Signals | null }): Promise<void> => {
    if (isStopping || inMemory) return;
    if (performance.now() - startedMs >= LIVED_MS) pauseMs = 0;
    let failed = `the standalone torc-server ended (${endWords(end)})`;
    while (!isStopping) {
      if (!existsSync(database)) {
        output.error(`${failed}, and its database ${database} is gone: it is not started again`);
        return;
      }
      output.warn(`${failed}; starting it again${pauseMs === 0 ? '' : ` in ${pauseMs / 1000} s`}`);
      await Promise.race([late(pauseMs), stopping]);
      pauseMs = pauseMs === 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (isStopping) return;
      try {
        if (await launch()) return;
        failed = `another torc-server has the database ${database}`;
      } catch (error) {
        failed = (error as Error).message;
      }
    }
  };

  const snapshot = async (): Promise<void> => {
    const done = new Promise<boolean>((resolve) => {
      heardSnapshot = () => resolve(true);
    });
    server.signal('SIGUSR1');
    const heard = await Promise.race([done, late(SNAPSHOT_MS), server.ended.then(() => undefined)]);
    if (heard !== true) output.warn(`timed out waiting for final snapshot to ${database}`);
  };

  if (!(await launch())) return undefined;
  const url = `http://127.0.0.1:${port}${BASE_PATH}`;
  output.notice(`Started standalone torc-server on ${url} (db: ${inMemory ? ':memory:' : database})`);
  if (inMemory && existsSync(database))
    output.warn(`${database} exists and will be replaced by the copy of this run; name another --db to keep it`);
  if (inMemory && snapshotIntervalSeconds !== undefined) {
    timer = every(snapshotIntervalSeconds * 1000, () => void snapshot()).unref();
  }

  return {
    url,
    credential,
    isOwn: true,
    async stop() {
      timer?.cancel();
      if (isStopping) return;
      isStopping = true;
      stopped();
      await restarting;
      if (inMemory) await snapshot();
      server.endInput();
      const stopMs = settings.serverProgram === undefined ? STOP_MS : STOP_NAMED_MS;
      const ended = await Promise.race([server.ended, stays, late(stopMs)]);
      if (ended === 'stays' && (await Promise.race([server.ended, late(STAY_MS)])) === undefined) {
        output.notice(
          `The torc-server goes on for other commands that use ${database} (process ${server.pid}); it ends with the last of them`,
        );
        server.release();
        return;
      }
      if (ended === undefined) server.signal('SIGKILL');
      await server.ended;
    },
  };
}

const endWords = ({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }) =>
  signal === null ? `exit code ${code}` : signal;

function late(ms: number): Promise<undefined> {
  return new Promise((resolve) => void after(ms, () => resolve(undefined)).unref());
}

/** The server's program: one that was named, or that of this installation run by this runtime. */
function programOf({ serverProgram }: Settings): string[] {
  if (serverProgram !== undefined) return [serverProgram];
  return [process.execPath, join(packageRoot(), 'bin', 'torc-server.mjs')];
}
