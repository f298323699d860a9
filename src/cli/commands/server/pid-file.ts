import { rmSync, writeFileSync } from 'node:fs';
import { textOf } from '../../../cluster/host/group-files.ts';
import { Failure } from '../../command/failure.ts';

/**
 * Writes our process id into a file that we remove at our end; refused while the server in an older file still runs.
 */
export function takePidFile(path: string): void {
  const other = numberIn(path);
  if (other !== undefined && other !== process.pid && isServer(other))
    throw new Failure(
      `torc-server is already running as process ${other}, according to ${path}; stop it, or name another --pid-file`,
    );
  try {
    writeFileSync(path, `${process.pid}\n`);
  } catch (cause) {
    throw new Failure(`${path} cannot be written: ${(cause as Error).message}; name another with --pid-file`, {
      cause,
    });
  }
  process.once('exit', () => {
    if (numberIn(path) === process.pid) rmSync(path, { force: true });
  });
}

function numberIn(path: string): number | undefined {
  const number = Number(textOf(path)?.trim());
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Process ids are reused: if the kernel shows the command, that decides. */
function isServer(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return textOf(`/proc/${pid}/cmdline`)?.includes('torc-server') ?? true;
}
