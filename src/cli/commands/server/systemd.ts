import { runHelper } from '../../../cluster/exec.ts';
import { HelperFailed } from '../../../cluster/helper-failed.ts';
import { programOn } from '../../../cluster/program-on.ts';
import { Failure } from '../../command/failure.ts';

export const SERVICE = 'torc-server.service';

/** A minute, because stopping waits for requests in flight. */
const AT_MOST_MS = 60_000;

/** Calls systemctl, and returns its output. */
export type Systemctl = (...words: string[]) => Promise<string>;

/** The connection to the systemd of this machine, or of one user; undefined if there is none. */
export function systemctlOf(isUser: boolean, path: string | undefined): Systemctl | undefined {
  if (programOn(path, 'systemctl') === undefined) return undefined;
  return async (...words) => {
    try {
      return await runHelper('systemctl', [...(isUser ? ['--user'] : []), ...words], { atMostMs: AT_MOST_MS });
    } catch (cause) {
      if (!(cause instanceof HelperFailed)) throw cause;
      throw new Failure(cause.message, { cause });
    }
  };
}
