import { pause } from '../../client/long-timers.ts';
import { readAddress } from '../../server/attach/address.ts';
import { ownerOf } from '../../server/store/own.ts';
import type { Output } from '../output/output.ts';
import { SERVER_PATIENCE_MS, SERVER_PAUSE_MS } from './keep-alive.ts';
import { late, type ServerProcess } from './server-process.ts';

/** Our own server reports within this time that others use it, or has ended; killed, it would be taken from the others. */
const STOP_MS = 10_000;
/** A program that was named is to end within this time, as Torc's server does. */
const STOP_NAMED_MS = 2_000;
/** How long the end of commands is waited for that use the server, before this one ends without them. */
const STAY_MS = 500;
const SNAPSHOT_MS = 5_000;

/** Lets a server copy its database in memory to the file. */
export async function copyDatabase(server: ServerProcess, database: string, output: Output): Promise<void> {
  const { copied, signal, ended } = server;
  const done = copied();
  signal('SIGUSR1');
  const heard = await Promise.race([done, late(SNAPSHOT_MS), ended]);
  if (heard !== true) output.warn(`timed out waiting for final snapshot to ${database}`);
}

/** Ends a server of this command's own, unless others use it: then it goes on for them. */
export async function endServer(
  { pid, stays, ended, endInput, release, signal }: ServerProcess,
  {
    database,
    serverProgram,
    output,
  }: { readonly database: string; readonly serverProgram: string | undefined; readonly output: Output },
): Promise<void> {
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

/** Waits until a server that ends has closed its database: what comes after this command may copy or open it. */
export async function untilClosed(database: string, credential: string): Promise<void> {
  const untilMs = performance.now() + SERVER_PATIENCE_MS;
  const isThere = () => {
    const beside = readAddress(database);
    return (beside.kind === 'address' && beside.address.credential === credential) || ownerOf(database) !== undefined;
  };
  while (isThere() && performance.now() < untilMs) await pause(SERVER_PAUSE_MS);
}
