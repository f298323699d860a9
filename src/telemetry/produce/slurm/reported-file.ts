import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { ReportedJobs } from './reported-jobs.ts';

/** What was reported according to the file; nothing if it does not exist. */
export function reportedIn(path: string): ReportedJobs {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Refusal('FILE_UNREADABLE', `${path}: ${(error as Error).message}`, { path });
  }
  try {
    const found = JSON.parse(text) as { readonly jobs?: unknown };
    if (typeof found.jobs === 'object' && found.jobs !== null) return found.jobs as ReportedJobs;
  } catch {
    // The refusal below says it.
  }
  throw new Refusal(
    'FILE_UNREADABLE',
    `${path} is no file of "torc sonar jobs --state": remove it to report all jobs`,
    {
      path,
    },
  );
}

/** Writes the file as a whole. */
export function keepReported(path: string, reported: ReportedJobs): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, JSON.stringify({ jobs: reported }));
    renameSync(temporary, path);
  } catch (error) {
    throw new Refusal('FILE_UNWRITABLE', `${path}: ${(error as Error).message}`, { path });
  }
}
