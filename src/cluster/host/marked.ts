import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes that carry this variable in their environment, as far as we may look. */
export function processesWith(name: string, value: string, root = '/proc'): number[] {
  const marker = `${name}=${value}`;
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(`${root}/${entry}/environ`, 'latin1').split('\0').includes(marker);
      } catch {
        // Ended meanwhile, or somebody else's.
        return false;
      }
    })
    .map(Number);
}
