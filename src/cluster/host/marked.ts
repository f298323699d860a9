import { readdirSync } from 'node:fs';
import { environmentOf } from './environment-of.ts';

/** Ids of the processes that carry this variable in their environment, as far as we may look. */
export function processesWith(name: string, value: string, root = '/proc'): number[] {
  const marker = `${name}=${value}`;
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => environmentOf(entry, root).includes(marker))
    .map(Number);
}
