import { createHash } from 'node:crypto';
import { createReadStream, renameSync, rmSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { runToEnd } from '../../cluster/exec.ts';
import { HelperFailed } from '../../cluster/helper-failed.ts';
import type { HostReply, HostRequestOf } from '../../core/remote/remote-host.ts';
import { logFiles } from './log-files.ts';
import { packOf, removeListing, writeListing } from './packed-files.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';

/** The logs of a workflow on a host, packed, so that they can be fetched piece by piece. */

/** Packing what a workflow printed may take this long. */
const PACK_MS = 60 * 60_000;
/** Another host that shares the folder may delete files while they are packed: so often the rest is packed. */
const MOST_LISTINGS = 3;
/** What GNU tar says, with exit code 1, of a file that was written meanwhile. */
const GREW = ': file changed as we read it';

/**
 * Packs the files of a workflow. A pack that was fetched in part is used again, so that the rest can follow; the files
 * that changed since are in the next one.
 */
export async function packLogs({ workflow_id, output_dir, host, have }: HostRequestOf<'pack'>): Promise<HostReply> {
  const path = packOf(output_dir, workflow_id, host);
  const before = have ? await sumOf(path, have.size) : undefined;
  const continues = have !== null && have !== undefined && before === have.sha256;
  const files = continues ? logFiles(output_dir, workflow_id).length : await packInto(path, output_dir, workflow_id);
  if (typeof files !== 'number') return files;
  const { size } = statSync(path);
  const sha256 = (await sumOf(path, size)) as string;
  return { is: 'packed', path, size, sha256, files, continues };
}

/** Packs the files that are there and returns how many, or says why that is not possible. */
async function packInto(path: string, outputDir: string, workflowId: number): Promise<number | HostReply> {
  const fresh = `${path}.${process.pid}.new`;
  try {
    for (let listing = 1; ; listing += 1) {
      const files = logFiles(outputDir, workflowId);
      if (files.length === 0) {
        removeListing(path);
        return refused('NO_LOGS', `no files of workflow ${workflowId} in ${outputDir}`);
      }
      writeListing(path, outputDir, files);
      const fault = await tar(fresh, outputDir, files);
      if (fault === undefined) {
        renameSync(fresh, path);
        return files.length;
      }
      const isSame = isDeepStrictEqual(files, logFiles(outputDir, workflowId));
      if (isSame || listing === MOST_LISTINGS) return refused('PACK_FAILED', `the logs could not be packed: ${fault}`);
    }
  } finally {
    rmSync(fresh, { force: true });
  }
}

const refused = (code: HostFault, message: string): HostReply => ({ is: 'refused', code, message });

/** Why `tar` could not pack the files; undefined if it could. A file that grows meanwhile is packed as far as it was read. */
async function tar(to: string, folder: string, files: readonly string[]): Promise<string | undefined> {
  const args = ['-czf', to, '-C', folder, '--null', '-T', '-'];
  try {
    const { code, signal, stderr, isLate } = await runToEnd('tar', args, {
      atMostMs: PACK_MS,
      environment: { ...process.env, LC_ALL: 'C' },
      input: files.map((file) => `./${file}\0`).join(''),
    });
    if (isLate) return `tar was killed after ${PACK_MS / 60_000} minutes, its time limit`;
    const faults = stderr.split('\n').filter((line) => line.trim() !== '' && !line.endsWith(GREW));
    if (code === 0 || (code === 1 && faults.length === 0)) return undefined;
    return [`tar ended with ${signal ?? `exit code ${code}`}`, ...faults.slice(0, 1)].join(': ');
  } catch (error) {
    if (!(error instanceof HelperFailed)) throw error;
    return error.message;
  }
}

/** Removes the pack when it was fetched. */
export function removePack({ workflow_id, output_dir, host }: HostRequestOf<'unpack'>): HostReply {
  const path = packOf(output_dir, workflow_id, host);
  rmSync(path, { force: true });
  removeListing(path);
  return { is: 'deleted', files: 0 };
}

/** The checksum of the first bytes of a file; undefined if it has fewer. */
async function sumOf(path: string, bytes: number): Promise<string | undefined> {
  try {
    if (statSync(path).size < bytes) return undefined;
  } catch {
    return undefined;
  }
  const hash = createHash('sha256');
  if (bytes > 0) for await (const chunk of createReadStream(path, { end: bytes - 1 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
