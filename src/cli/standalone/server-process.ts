import { join } from 'node:path';
import { after } from '../../client/long-timers.ts';
import { type Companion, startCompanion } from '../../cluster/exec.ts';
import { CREDENTIAL_VARIABLE, NOTIFY_VARIABLE } from './credential-variable.ts';
import { Failure } from '../command/failure.ts';
import { packageRoot } from '../../operations/run/package-root.ts';
import type { Settings } from '../command/settings.ts';

/** A server that has started, and what it says of itself on its standard output. */
export interface ServerProcess extends Companion {
  readonly port: number;
  /** Resolves when it says that it goes on for other commands. */
  readonly stays: Promise<'stays'>;
  /** Resolves when it says that the next copy of its database is complete. */
  copied(): Promise<true>;
}

export interface ServerStart {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly umask: string;
  readonly credential: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Gets what the server writes on its standard error. */
  readonly say: (line: string) => void;
}

/**
 * How long a server may take to start; one that cannot start ends and is not waited for. On a login node with a load of 60 on two
 * CPUs a start took more than 15 s, and the command failed for no other reason.
 */
export const START_MS = 60_000;

/**
 * Starts a server as a child process: it never shares the heap of the runner, whose launches would slow down with it.
 *
 * Undefined where another server has the database. Throws a Failure where it does not start.
 */
export async function startServerProcess(start: ServerStart): Promise<ServerProcess | undefined> {
  const heard = createHeard();
  // The messages of a server that does not start are printed when it is known whether they matter.
  let early: string[] | undefined = [];
  const onErrorLine = (line: string) => (early === undefined ? start.say(line) : void early.push(line));
  const server = await spawned(start, { onLine: heard.line, onErrorLine });
  const first = await Promise.race([heard.port, server.ended, late(START_MS)]);
  if (typeof first === 'object' && heard.refusal() === 'DATABASE_IN_USE') return undefined;
  early.forEach(start.say);
  early = undefined;
  if (typeof first === 'number') return { ...server, port: first, stays: heard.stays, copied: heard.copied };
  server.signal('SIGKILL');
  if (typeof first === 'object' && heard.refusal() !== undefined) throw new RefusedStart(REFUSED);
  throw new Failure(
    `Error starting standalone torc-server: ${first === undefined ? `it did not start within ${START_MS / 1000} s; is this machine overloaded?` : `it ended at once (${endWords(first)}); see its message above`}`,
  );
}

/** The server refuses to serve this database, as a damaged one: a later start ends in the same way. */
export class RefusedStart extends Failure {}
const REFUSED = 'Error starting standalone torc-server: it refuses its database; see its message above';

async function spawned(
  { settings, environment, umask, credential, port }: ServerStart,
  lines: { onLine: (line: string) => void; onErrorLine: (line: string) => void },
): Promise<Companion> {
  const { database, inMemory, logLevel } = settings;
  const [program = '', ...args] = programOf(settings);
  const place = ['--host', '127.0.0.1', '--port', String(port), '--database', inMemory ? ':memory:' : database];
  const own = {
    // Its coming and going is said by us; what it has to say beyond that is worth reading.
    RUST_LOG: logLevel === 'info' ? 'warn' : logLevel,
    TORC_UMASK: umask,
    TORC_TRUST_OWNER: String(settings.trustsOwner),
    [CREDENTIAL_VARIABLE]: credential,
    [NOTIFY_VARIABLE]: settings.notify === undefined ? '' : JSON.stringify(settings.notify),
    ...(inMemory ? { TORC_SERVER_SNAPSHOT_PATH: database, TORC_SERVER_SNAPSHOT_KEEP: '1' } : {}),
  };
  try {
    return await startCompanion(program, [...args, 'run', ...place, '--shutdown-on-stdin-eof'], {
      environment: { ...environment, ...own },
      ...lines,
    });
  } catch (cause) {
    throw new Failure(
      `Error starting standalone torc-server: failed to spawn ${program}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** What a server says on its standard output, a line for each. */
function createHeard() {
  const port = Promise.withResolvers<number>();
  const stays = Promise.withResolvers<'stays'>();
  let copied: () => void = () => {};
  let refusal: string | undefined;
  return {
    port: port.promise,
    stays: stays.promise,
    copied: () => new Promise<true>((resolve) => (copied = () => resolve(true))),
    refusal: () => refusal,
    line(line: string) {
      const found = /^TORC_SERVER_PORT=(\d+)$/.exec(line);
      if (found !== null) port.resolve(Number(found[1]));
      if (line.startsWith('TORC_SNAPSHOT_DONE=')) copied();
      if (line.startsWith('TORC_SERVER_STAYS=')) stays.resolve('stays');
      refusal = /^TORC_SERVER_REFUSED=(\w+)$/.exec(line)?.[1] ?? refusal;
    },
  };
}

/** As bin/torc-server gives it to V8, which reads it before any code of ours. */
export const YOUNG_GENERATION = '--min-semi-space-size=32';

/** The server's program: one that was named, or that of this installation run by this runtime. */
function programOf({ serverProgram }: Settings): string[] {
  if (serverProgram !== undefined) return [serverProgram];
  return [process.execPath, YOUNG_GENERATION, join(packageRoot(), 'bin', 'torc-server.mjs')];
}

export const endWords = ({ code, signal }: { code: number | null; signal: NodeJS.Signals | null }) =>
  signal === null ? `exit code ${code}` : signal;

export function late(ms: number): Promise<undefined> {
  return new Promise((resolve) => void after(ms, () => resolve(undefined)).unref());
}
