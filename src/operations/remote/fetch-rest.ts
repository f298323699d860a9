import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import type { Ssh } from '../../cluster/ssh/ssh.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';
import type { HostReply } from '../../core/remote/remote-host.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { rangeScript } from './host-script.ts';
import { lastLine, silenceOf } from './silence.ts';

const TRANSFER_MS = 2 * 60 * 60_000;

/**
 * Appends what is missing of an archive on a host to its first part here, or says why that is not possible.
 *
 * The bytes are those behind the first line of the script, as many as are missing: what the login shell of the host prints is no part
 * of them.
 */
export async function fetchRest(
  worker: Worker,
  { path, size }: Pick<Extract<HostReply, { is: 'packed' }>, 'path' | 'size'>,
  part: string,
  { ssh }: { readonly ssh: Ssh },
): Promise<{ code: HostFault; message: string } | undefined> {
  const fd = openSync(part, 'a', 0o600);
  try {
    let got = statSync(part).size;
    if (got >= size) return undefined;
    const args = [path, worker.options.workDir ?? '', String(got + 1)];
    const outcome = await ssh.run(worker, {
      script: rangeScript,
      args,
      atMostMs: TRANSFER_MS,
      onBytes(bytes) {
        const own = bytes.subarray(0, size - got);
        writeFileSync(fd, own);
        got += own.length;
      },
    });
    if (got === size) return undefined;
    const silence = silenceOf(worker, outcome, { outputDir: '', atMostMs: TRANSFER_MS });
    if (silence !== undefined && !outcome.hasBegun) return silence;
    const words = lastLine(outcome.stderr);
    const why = words === '' ? `exit code ${outcome.code}` : words;
    return { code: 'CUT', message: `${got} of ${size} bytes arrived (${why}); collect again to continue` };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: 'CUT', message: `the archive cannot be written: ${message}; collect again to continue` };
  } finally {
    closeSync(fd);
  }
}
