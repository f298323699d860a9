import { readFileSync } from 'node:fs';

/** The environment of a process, `NAME=value` each; empty where it has ended meanwhile or is somebody else's. */
export function environmentOf(pid: number | string, root = '/proc'): string[] {
  try {
    return readFileSync(`${root}/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
