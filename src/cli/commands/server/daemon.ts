import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { startDetached } from '../../../cluster/exec.ts';
import { Failure } from '../../command/failure.ts';
import type { Output } from '../../output/output.ts';

/** The option that replaces `--daemon` for the background process. */
const AS_DAEMON = '--as-daemon';

/** The message of the background process when it is ready. */
interface Ready {
  readonly port: number;
  readonly url: string;
}

/**
 * Starts the same server in the background and waits until it answers; a reason for failure is passed on.
 *
 * Its output goes to a file beside its log, because a crashing runtime writes there.
 */
export async function startDaemon(folder: string, words: readonly string[], output: Output): Promise<void> {
  const path = join(folder, 'torc-server.out');
  const { fd, before } = open(path);
  const [script, ...args] = words;
  const daemon = startDetached(
    process.execPath,
    [...process.execArgv, script as string, ...args.map((word) => (word === '--daemon' ? AS_DAEMON : word))],
    fd,
  );
  const reported = (await daemon.reported) as Ready | undefined;
  closeSync(fd);
  daemon.release();
  if (reported === undefined) {
    const reason = readFileSync(path)
      .subarray(before)
      .toString()
      .trim()
      .replace(/^Error: /, '');
    throw new Failure(reason === '' ? `the server ended without a message; see ${folder}` : reason);
  }
  output.text(`TORC_SERVER_PORT=${reported.port}`);
  output.notice(`torc-server runs as process ${daemon.pid} on ${reported.url}; its log is in ${folder}`);
}

function open(path: string): { fd: number; before: number } {
  try {
    makeFolder(join(path, '..'));
    const fd = openSync(path, 'a');
    return { fd, before: statSync(path).size };
  } catch (cause) {
    throw new Failure(`--log-dir: ${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
