import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HelperFailed, runHelper } from '../../cluster/exec.ts';
import type { AgentReply, AgentRequestOf } from '../../core/contract/remote-agent.ts';
import { isProvenGone, statesIn } from './state-file.ts';

/** The logs of a workflow on a host: packed, so that they can be fetched piece by piece, and deleted. */

/** Packing what a workflow printed may take this long. */
const PACK_MS = 60 * 60_000;
/** Results that the server may not have yet: `reconcile` and the recovery of a lost runner need them. */
const KEPT = /(?:^|\/)offline_results_[^/]*$|\.ledger$/;

/** The whole archive with its checksum, which the asker knows afterwards. */
const packOf = (outputDir: string, workflowId: number, host: string) =>
  join(outputDir, `.torc_logs_${workflowId}_${host.replaceAll(/[^\w-]/g, '_')}.tar.gz`);

/**
 * Packs the files of a workflow. A pack that was fetched in part is used again, so that the rest can follow; the files
 * that changed since are in the next one.
 */
export async function packLogs({ workflow_id, output_dir, host, have }: AgentRequestOf<'pack'>): Promise<AgentReply> {
  const path = packOf(output_dir, workflow_id, host);
  const before = have ? await sumOf(path, have.size) : undefined;
  const continues = have !== null && have !== undefined && before === have.sha256;
  const files = logFiles(output_dir, workflow_id);
  if (files.length === 0)
    return { is: 'refused', code: 'NO_LOGS', message: `no files of workflow ${workflow_id} in ${output_dir}` };
  const packedAtMs = continues ? statSync(path).mtimeMs : Date.now();
  if (!continues) {
    const fresh = `${path}.${process.pid}.new`;
    try {
      await runHelper('tar', ['-czf', fresh, '-C', output_dir, '--null', '-T', '-'], {
        atMostMs: PACK_MS,
        input: files.map((file) => `./${file}\0`).join(''),
      });
      renameSync(fresh, path);
    } catch (error) {
      rmSync(fresh, { force: true });
      if (!(error instanceof HelperFailed)) throw error;
      return { is: 'refused', code: 'PACK_FAILED', message: `the logs could not be packed: ${error.message}` };
    }
  }
  const { size } = statSync(path);
  const sha256 = (await sumOf(path, size)) as string;
  return { is: 'packed', path, size, sha256, files: files.length, packed_at_ms: packedAtMs, continues };
}

/** Removes the pack when it was fetched. */
export function removePack({ workflow_id, output_dir, host }: AgentRequestOf<'unpack'>): AgentReply {
  rmSync(packOf(output_dir, workflow_id, host), { force: true });
  return { is: 'deleted', files: 0 };
}

/**
 * Deletes the files of a workflow, and the folders that become empty.
 *
 * Refused while a runner of the workflow may still write into the folder, which other hosts may share.
 */
export function deleteLogs({ workflow_id, output_dir, until_ms }: AgentRequestOf<'delete'>): AgentReply {
  const alive = statesIn(output_dir, workflow_id).find((state) => !state.ended && !isProvenGone(state));
  if (alive !== undefined) {
    const message = `the runner on ${alive.hostname} (PID ${alive.pid}) may still write into ${output_dir}; stop it first`;
    return { is: 'refused', code: 'RUNNER_ALIVE', message };
  }
  let deleted = 0;
  for (const file of logFiles(output_dir, workflow_id)) {
    if (KEPT.test(file)) continue;
    const path = join(output_dir, file);
    if (typeof until_ms === 'number' && statSync(path).mtimeMs > until_ms) continue;
    rmSync(path, { force: true });
    deleted += 1;
  }
  removeEmptyFolders(output_dir);
  return { is: 'deleted', files: deleted };
}

/** The files below an output folder, without those whose names say that they belong to another workflow. */
export function logFiles(outputDir: string, workflowId: number): string[] {
  let entries;
  try {
    entries = readdirSync(outputDir, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && isOf(entry.name, workflowId))
    .map((entry) => join(entry.parentPath, entry.name).slice(outputDir.replace(/\/+$/, '').length + 1))
    .toSorted();
}

function isOf(name: string, workflowId: number): boolean {
  if (name.startsWith('.torc_logs_') || /\.lock(\.|$)/.test(name)) return false;
  const named = /(?:^|_)wf(\d+)(?:_|\.|$)/.exec(name)?.[1];
  return named === undefined ? false : Number(named) === workflowId;
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    removeEmptyFolders(path);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
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
