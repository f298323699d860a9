import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A process by its number and its command line. */
export interface PortOwner {
  readonly pid: number;
  readonly command: string;
}

/**
 * The process that listens on a TCP port, as far as the kernel shows it to us: processes of other people it does not.
 *
 * `root` is /proc, or a folder that looks like it.
 */
export function portOwner(port: number, root = '/proc'): PortOwner | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listening(port, readOr(join(root, 'net', table)))));
  if (sockets.size === 0) return undefined;
  for (const name of namesIn(root)) {
    if (!/^\d+$/.test(name)) continue;
    const folder = join(root, name, 'fd');
    if (!namesIn(folder).some((fd) => sockets.has(linkOr(join(folder, fd))))) continue;
    const command = readOr(join(root, name, 'cmdline'))
      .split('\0')
      .join(' ')
      .trim();
    return { pid: Number(name), command };
  }
  return undefined;
}

const LISTEN = '0A';

/** The sockets of a table of the kernel that listen on the port, as links of file descriptors name them. */
function listening(port: number, table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const isIt = state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isIt ? [`socket:[${inode}]`] : [];
  });
}

/** What cannot be read is not there: processes end while we look, and those of others are closed to us. */
function tryTo<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const readOr = (path: string) => tryTo(() => readFileSync(path, 'utf8'), '');
const linkOr = (path: string) => tryTo(() => readlinkSync(path), '');
const namesIn = (path: string) => tryTo(() => readdirSync(path), []);
