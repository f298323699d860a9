import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A process with its id and its command line. */
export interface PortOwner {
  readonly pid: number;
  readonly command: string;
}

/**
 * The process that listens on a TCP port, if the kernel shows it to us; it hides processes of other users.
 *
 * `root` is /proc, or a folder with the same layout.
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

/** The sockets in a kernel table that listen on the port, in the form in which file descriptors link to them. */
function listening(port: number, table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const isIt = state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isIt ? [`socket:[${inode}]`] : [];
  });
}

/** Treats what cannot be read as absent: processes end meanwhile, and those of other users are not readable. */
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
