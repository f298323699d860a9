import { statfsSync } from 'node:fs';

/**
 * File systems shared between hosts, by the magic number in statfs(2). Each access may be a message to another host, and memory
 * that users of a file share is that of one host.
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
  [0x013111a8, 'PanFS'],
]);

/** A program in user space answers for it: sshfs, CernVM-FS, and many others that ask another host. */
const FUSE = 0x65735546;

const typeOf = (path: string): number => Number(BigInt.asUintN(32, BigInt(statfsSync(path).type)));

/** The name of the network file system of an existing path; undefined if it is another file system. Throws the system's error. */
export const networkFileSystemOf = (path: string): string | undefined => networkFileSystems.get(typeOf(path));

/** Does the kernel answer for this path without asking a program or another host? False where there is none. */
export function isOnLocalDisk(path: string): boolean {
  try {
    const type = typeOf(path);
    return type !== FUSE && !networkFileSystems.has(type);
  } catch {
    return false;
  }
}
