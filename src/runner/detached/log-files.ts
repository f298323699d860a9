import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files below an output folder whose names say that they belong to a workflow, relative to the folder, sorted. */
export function logFiles(outputDir: string, workflowId: number): string[] {
  const found: string[] = [];
  const list = (folder: string) => {
    for (const entry of directoryEntries(join(outputDir, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) list(path);
      else if (entry.isFile() && isOf(entry.name, workflowId)) found.push(path);
    }
  };
  list('');
  return found.toSorted();
}

/** What is in a folder; nothing if there is none: another host that shares it may have deleted it. */
export function directoryEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function isOf(name: string, workflowId: number): boolean {
  if (name.startsWith('.torc_logs_') || /\.lock(\.|$)/.test(name)) return false;
  const named = /(?:^|_)wf(\d+)(?:_|\.|$)/.exec(name)?.[1];
  return named === undefined ? false : Number(named) === workflowId;
}
