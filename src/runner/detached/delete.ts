import { rmdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { HostReply, HostRequestOf } from '../../core/contract/remote-host.ts';
import { directoryEntries, logFiles } from './log-files.ts';
import { isProvenGone, statesIn } from './state-file.ts';
import type { HostFault } from '../../core/contract/host-faults.ts';

/** Results that the server may not have yet: `reconcile` and the recovery of a lost runner need them. */
const KEPT = /(?:^|\/)offline_results_[^/]*$|\.ledger$/;

/**
 * Deletes the files of a workflow, and the folders that become empty. Other hosts that share the folder may do the same
 * at the same time: each counts the files that it deleted itself.
 *
 * Refused while a runner of the workflow may still write into the folder.
 */
export function deleteLogsHere({ workflow_id, output_dir, until_ms }: HostRequestOf<'delete'>): HostReply {
  const alive = statesIn(output_dir, workflow_id).find((state) => !state.ended && !isProvenGone(state));
  if (alive !== undefined) {
    const message = `the runner on ${alive.hostname} (PID ${alive.pid}) may still write into ${output_dir}; stop it first`;
    return { is: 'refused', code: 'RUNNER_ALIVE' satisfies HostFault, message };
  }
  const untilMs = until_ms ?? Number.POSITIVE_INFINITY;
  const files = logFiles(output_dir, workflow_id).filter((file) => !KEPT.test(file));
  const deleted = files.filter((file) => wasDeleted(join(output_dir, file), untilMs));
  removeEmptyFolders(output_dir);
  return { is: 'deleted', files: deleted.length };
}

/** Deletes a file that did not change after a time; false if it stays, or if another process deleted it. */
function wasDeleted(path: string, untilMs: number): boolean {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changedMs === undefined || changedMs > untilMs) return false;
  return unless(['ENOENT'], () => unlinkSync(path));
}

function removeEmptyFolders(folder: string): void {
  for (const entry of directoryEntries(folder)) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    removeEmptyFolders(path);
    unless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(path));
  }
}

/** Whether an action was done; false if the system refused it with one of the codes. */
function unless(codes: readonly string[], act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}
