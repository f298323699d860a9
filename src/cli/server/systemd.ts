import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { HelperFailed, runHelper } from '../../cluster/exec.ts';
import { Failure } from '../failure.ts';

export const SERVICE = 'torc-server.service';

/** A minute, because stopping waits for requests in flight. */
const AT_MOST_MS = 60_000;

/** Calls systemctl, and returns its output. */
export type Systemctl = (...words: string[]) => Promise<string>;

/** The connection to the systemd of this machine, or of one user; undefined if there is none. */
export function systemctlOf(isUser: boolean, path: string | undefined): Systemctl | undefined {
  if (!(path ?? '').split(delimiter).some((folder) => isProgram(join(folder, 'systemctl')))) return undefined;
  return async (...words) => {
    try {
      return await runHelper('systemctl', [...(isUser ? ['--user'] : []), ...words], { atMostMs: AT_MOST_MS });
    } catch (cause) {
      if (!(cause instanceof HelperFailed)) throw cause;
      throw new Failure(cause.message, { cause });
    }
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
