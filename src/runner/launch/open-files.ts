import { readdirSync } from 'node:fs';
import { type Libc, STRUCT_BYTES } from './libc.ts';

const F_SETFD = 2;
const FD_CLOEXEC = 1;
const RLIMIT_NOFILE = 7;

/**
 * Gives jobs the limit of open files that the runner had, if the runtime raised it.
 *
 * Throws if the limit cannot be read: structures or calls have another layout here.
 */
export function limitOpenFiles({ invoke, memory }: Libc, openFilesLimit: number | undefined): void {
  const limits = memory(STRUCT_BYTES);
  if (invoke('getrlimit', RLIMIT_NOFILE, limits.at) !== 0) throw new Error('getrlimit failed');
  if (openFilesLimit === undefined || BigInt(openFilesLimit) >= limits.view.getBigUint64(0, true)) return;
  limits.view.setBigUint64(0, BigInt(openFilesLimit), true);
  invoke('setrlimit', RLIMIT_NOFILE, limits.at);
}

/** Jobs would inherit the files that the runner inherited. */
export function closeOnExec({ invoke }: Libc): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd > 2) invoke('fcntl', fd, F_SETFD, FD_CLOEXEC);
  }
}
