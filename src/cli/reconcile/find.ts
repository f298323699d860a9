import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { isJournalOf } from '../../runner/journal/file.ts';

/** Journals below a folder, and folders that could not be read, each with the reason. */
interface Found {
  readonly journals: readonly string[];
  readonly closed: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Every journal of a run below a folder, sorted by path.
 *
 * Links are not followed: they lead out of the folder, in circles, or to the same journal under two names.
 */
export async function findJournals(baseDir: string, workflowId: number, runId: number): Promise<Found> {
  const journals: string[] = [];
  const closed: { path: string; reason: string }[] = [];
  const waiting = [baseDir];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    try {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) waiting.push(path);
        else if (entry.isFile() && isJournalOf(entry.name, workflowId, runId)) journals.push(path);
      }
    } catch (cause) {
      const reason = (cause as Error).message;
      if (folder === baseDir) throw new Failure(`--base-dir: cannot read ${baseDir}: ${reason}`, { cause });
      closed.push({ path: folder, reason });
    }
  }
  return { journals: journals.sort((one, other) => (one < other ? -1 : 1)), closed };
}
