import { readdirSync } from 'node:fs';
import { environmentOf } from './environment-of.ts';

/** Ids of the processes whose environment (`NAME=value` entries) and id satisfy this condition. */
export function processesWhere(
  isMeant: (environment: readonly string[], pid: number) => boolean,
  root = '/proc',
): number[] {
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => isMeant(environmentOf(pid, root), pid));
}
