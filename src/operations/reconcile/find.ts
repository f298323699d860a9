import { isJournalOf } from '../../core/contract/files/journal.ts';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';

export interface UnreadableFolder {
  readonly path: string;
  readonly reason: string;
}

interface Found {
  readonly journals: readonly string[];
  readonly unreadable: readonly UnreadableFolder[];
}

/**
 * Every journal of a run below a folder, sorted by path.
 *
 * Links are not followed: they lead out of the folder, in circles, or to the same journal under two names.
 */
export async function findJournals(baseDir: string, workflowId: number, runId: number): Promise<Found> {
  const journals: string[] = [];
  const unreadable: UnreadableFolder[] = [];
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
      if (folder === baseDir) throw new Refusal('FILE_UNREADABLE', `cannot read ${baseDir}: ${reason}`, {}, { cause });
      unreadable.push({ path: folder, reason });
    }
  }
  return { journals: journals.sort((one, other) => (one < other ? -1 : 1)), unreadable };
}
