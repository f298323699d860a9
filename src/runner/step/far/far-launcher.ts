import { rmSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { type Companion, startCompanion } from '../../../cluster/exec.ts';
import { pause } from '../../../client/long-timers.ts';
import { LATEST_SILENT_MS } from '../batch/heartbeat.ts';
import { createLines } from '../batch/protocol.ts';
import type { CarrierLines, CarrierOptions } from '../batch/carrier.ts';
import { expectSocket } from './keyed-socket.ts';

export interface FarLauncherOptions {
  readonly node: string;
  /** The name of the runner's own node. */
  readonly ownNode: string;
  /** What starts the launcher there: a program and its arguments. */
  readonly words: (keyFile: string) => readonly string[];
  /** Where the address and the key are: a path that both nodes have. */
  readonly keyFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Our launcher on another node, started by a program that carries no input to it: it connects to the runner. */
export function farLauncher(
  options: FarLauncherOptions,
): Pick<CarrierOptions, 'node' | 'starter' | 'open' | 'nothingLeft'> {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  return {
    node: options.node,
    starter: options.words(options.keyFile)[0] ?? '',
    open: (lines) => open(options, lines, onClosed),
    async nothingLeft() {
      await Promise.race([closed, pause(ENDED_ALONE_MS)]);
      await pause(GUARDED_MS);
    },
  };
}

/** A launcher that hears nothing of the runner has then ended. That the program which started it has ended proves nothing of it. */
const ENDED_ALONE_MS = LATEST_SILENT_MS + 5_000;
/** A launcher that has closed the connection was killed, or ends: what guards its jobs has then killed them. */
const GUARDED_MS = 3_000;

async function open(
  { ownNode, words, keyFile, environment }: FarLauncherOptions,
  lines: CarrierLines,
  /** The other side has closed the connection. */
  onClosed: () => void,
): Promise<Companion> {
  const expected = await expectSocket(keyFile, ownNode);
  const [program = '', ...args] = words(keyFile);
  let socket: TLSSocket | undefined;
  let written: string[] = [];
  let isOver = false;
  const starter = await startCompanion(program, args, { environment, ...lines }).catch((error: unknown) => {
    expected.close();
    throw error;
  });
  void expected.connected.then((found) => {
    socket = found;
    socket.setNoDelay(true);
    socket.setEncoding('utf8').on('data', createLines(lines.onLine));
    // The starter may wait for a launcher on a node that is gone.
    socket.once('close', () => starter.signal('SIGTERM'));
    socket.once('end', onClosed);
    // As `end`, with orders that it had not read. A connection that times out says nothing of the other side.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' && onClosed());
    if (isOver) socket.destroy();
    for (const text of written) socket.write(text);
    written = [];
  });
  const ended = starter.ended.then((end) => {
    isOver = true;
    expected.close();
    // It closes the connection too, when it has got this.
    socket?.end().unref();
    rmSync(keyFile, { force: true });
    return end;
  });
  return {
    ...starter,
    ended,
    write(text) {
      if (socket === undefined) written.push(text);
      else socket.write(text);
    },
    endInput: () => void socket?.end(),
    release() {
      expected.close();
      socket?.destroy();
      starter.release();
    },
  };
}
