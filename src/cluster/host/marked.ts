import { readdirSync } from 'node:fs';
import { environmentOf } from './environment-of.ts';

/** Ids of the processes that carry this variable in their environment, as far as we may look. */
export function processesWith(name: string, value: string, root = '/proc'): number[] {
  const marker = `${name}=${value}`;
  return processesWhere((environment) => environment.includes(marker), root);
}

/** Ids of the processes of whose environments, `NAME=value` each, this is true. */
export function processesWhere(isMeant: (environment: readonly string[]) => boolean, root = '/proc'): number[] {
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => isMeant(environmentOf(entry, root)))
    .map(Number);
}
