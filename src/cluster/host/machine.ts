import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from './group-files.ts';

/** The identity of this machine and its present boot, as far as they are known. */
export interface Machine {
  /** Random for each boot of a kernel, and the same in all containers on one kernel. */
  readonly boot_id: string;
  readonly pid_namespace: string;
  /** From /etc/machine-id; undefined if there is none. A cloned image has that of its original. */
  readonly machine_id: string | undefined;
  /** Of the hardware network devices that this process sees: none in most containers. */
  readonly hardware_ids: readonly string[];
  /** Unix milliseconds; undefined if the kernel does not provide it. */
  readonly bootedAtMs: number | undefined;
}

/** Reads the identity. `root` is `/`, or a folder with the same layout. Throws where there is no /proc. */
export const thisMachine = (root = '/'): Machine => ({
  boot_id: readFileSync(join(root, 'proc/sys/kernel/random/boot_id'), 'utf8').trim(),
  pid_namespace: readlinkSync(join(root, 'proc/self/ns/pid')),
  machine_id: machineId(root),
  hardware_ids: hardwareIds(root),
  bootedAtMs: bootedAtMs(root),
});

const MACHINE_ID_FILES = ['etc/machine-id', 'var/lib/dbus/machine-id'];

/**
 * The first file that contains an id: an image that was never booted has an empty file, or the word `uninitialized`.
 */
function machineId(root: string): string | undefined {
  for (const file of MACHINE_ID_FILES) {
    const text = trimmed(join(root, file));
    if (text !== undefined && /^[0-9a-f]{32}$/.test(text)) return anonymous(text);
  }
  return undefined;
}

/** Addresses of devices on a bus; loopback, bridges and the ends of containers are not on one. */
function hardwareIds(root: string): string[] {
  const folder = join(root, 'sys/class/net');
  try {
    return readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'device')))
      .map((name) => trimmed(join(folder, name, 'address')) ?? '')
      .filter((address) => /[1-9a-f]/.test(address))
      .map(anonymous)
      .sort();
  } catch {
    return [];
  }
}

function bootedAtMs(root: string): number | undefined {
  const seconds = /^btime (\d+)$/m.exec(textOf(join(root, 'proc/stat')) ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** machine-id(5) requires a hash: the id itself must not be shown to others, and the server shows what it gets. */
function anonymous(text: string): string {
  // Loaded here: 5 ms that the start of a server need not wait for.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(`torc ${text}`).digest('hex').slice(0, 32);
}

const trimmed = (path: string): string | undefined => textOf(path)?.trim();

/** A clock that all processes of a machine share, in milliseconds. */
export const machineNow = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
