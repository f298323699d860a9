import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PART = '.part.';
const DAY_MS = 86_400_000;

/**
 * Makes a folder for what is not complete, beside the place that it gets by a rename. The caller removes it. Those of runs that were
 * killed are removed here; one of the last day may be in use, also by a process of another machine.
 *
 * Only this user may read it: what is renamed has to be a folder in it.
 */
export function makePart(beside: string): string {
  for (const name of readdirSync(beside).filter((each) => each.startsWith(PART))) {
    const path = join(beside, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs + DAY_MS < Date.now()) rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(beside, PART));
}
