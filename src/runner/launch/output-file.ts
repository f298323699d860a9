import { closeSync, openSync } from 'node:fs';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { modeOfFiles } from '../../cluster/umask.ts';
import { LaunchError } from './launcher.ts';

/** Opens a file for the output of a job, new or emptied, by the rules of all launchers. Throws `LaunchError`. */
export function openOutput(path: string): number {
  try {
    return openSync(path, OPEN_FLAGS.replace, modeOfFiles());
  } catch (error) {
    const { code = 'EUNKNOWN', message } = error as NodeJS.ErrnoException;
    throw new LaunchError(code, message);
  }
}

/** Makes, or empties, a file that another process writes. Throws `LaunchError`. */
export const makeOutput = (path: string): void => closeSync(openOutput(path));
