import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { ToldJobs } from './told-jobs.ts';

/** What was told according to the file; nothing if it does not exist. */
export function toldIn(path: string): ToldJobs {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Refusal('FILE_UNREADABLE', `${path}: ${(error as Error).message}`, { path });
  }
  try {
    const found = JSON.parse(text) as { readonly jobs?: unknown };
    if (typeof found.jobs === 'object' && found.jobs !== null) return found.jobs as ToldJobs;
  } catch {
    // The refusal below says it.
  }
  throw new Refusal('FILE_UNREADABLE', `${path} is no file of "torc sonar jobs --state": remove it to tell all jobs`, {
    path,
  });
}

/** Writes the file as a whole. */
export function keepTold(path: string, told: ToldJobs): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, JSON.stringify({ jobs: told }));
    renameSync(temporary, path);
  } catch (error) {
    throw new Refusal('FILE_UNWRITABLE', `${path}: ${(error as Error).message}`, { path });
  }
}
