import { readdirSync } from 'node:fs';
import { environmentOf } from './environment-of.ts';

/** Ids of the processes whose environment contains this variable, as far as we may read it. */
export function processesWith(name: string, value: string, root = '/proc'): number[] {
  const marker = `${name}=${value}`;
  return processesWhere((environment) => environment.includes(marker), root);
}

/** Ids of the processes whose environment (`NAME=value` entries) satisfies this condition. */
export function processesWhere(isMeant: (environment: readonly string[]) => boolean, root = '/proc'): number[] {
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => isMeant(environmentOf(entry, root)))
    .map(Number);
}
