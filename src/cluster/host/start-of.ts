import { readFileSync, readlinkSync } from 'node:fs';
import { parseStat } from './proc.ts';

/** Where process numbers have one meaning: a boot of a kernel, and a namespace of processes (a container has its own). */
export function placeOfProcesses(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/**
 * Place and start of a process: with its number they name it, because the kernel gives numbers again.
 *
 * Undefined where there is no such process, or no /proc.
 */
export function startOf(pid: number): string | undefined {
  try {
    const ticks = parseStat(readFileSync(`/proc/${pid}/stat`))?.startTicks;
    return ticks === undefined ? undefined : `${placeOfProcesses()} ${ticks}`;
  } catch {
    return undefined;
  }
}
