import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const program = join(import.meta.dirname, 'dead-disk.mjs');

/**
 * Mounts a file system at a folder that does not answer, for one test; a process that waits for it is ended by SIGKILL alone. What comes back
 * unmounts it: those that wait get an error.
 */
export async function deadDisk(folder: string): Promise<() => void> {
  const server = await mounted(folder);
  server.kill('SIGSTOP');
  let isMounted = true;
  const end = () => {
    if (isMounted) unmount(server, folder);
    isMounted = false;
  };
  onTestFinished(end);
  return end;
}

async function mounted(folder: string): Promise<ChildProcess> {
  const server = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [first] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  if (!Buffer.isBuffer(first)) throw new Error(`no file system could be mounted at ${folder}`);
  return server;
}

function unmount(server: ChildProcess, folder: string): void {
  server.kill('SIGKILL');
  execFileSync('env', ['umount', '--force', '--lazy', folder]);
}

/** Is there no way to mount one here? Then tests of dead file systems are passed over. */
export const noDeadDisk: boolean = await (async () => {
  const folder = join('/tmp', `torc-test-dead-${process.pid}`);
  try {
    accessSync('/dev/fuse', constants.W_OK);
    mkdirSync(folder);
    unmount(await mounted(folder), folder);
    return false;
  } catch {
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();
