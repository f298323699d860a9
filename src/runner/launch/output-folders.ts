import { dirname } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { asUser } from '../../cluster/umask.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { LaunchError } from './launcher.ts';

/** The folder of a declared output file could not be created: the job is not started. */
export class OutputFolderError extends LaunchError {}

/**
 * Creates the folders of the output files that a job declares, where they are missing, with the umask of the user.
 *
 * Only the parents of declared files: the files themselves, which may be folders too, are the job's.
 * Relative paths start at the working directory, which the jobs share. Synchronous, as the launch is: the first folder
 * that exists costs 10 µs. Throws: `OutputFolderError`.
 */
export function createOutputFolders({ output_files: outputs }: Pick<ClaimedJob, 'output_files'>): void {
  if (!outputs) return;
  const folders = new Map(outputs.map(({ path }) => [dirname(path), path]));
  for (const [folder, path] of folders) {
    if (folder === '.' || folder === '/') continue;
    try {
      asUser(() => makeFolder(folder));
    } catch (error) {
      const { code = 'EUNKNOWN', message } = error as NodeJS.ErrnoException;
      throw new OutputFolderError(
        code,
        `the folder ${folder} of the output file ${path} cannot be created: ${REASONS[code] ?? message}`,
      );
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'there is a file of this name, not a folder',
  ENOSPC: 'the file system is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'a part of its path is too long',
  ELOOP: 'its path has too many symbolic links',
};
