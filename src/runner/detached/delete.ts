import { rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { HostReply, HostRequestOf } from '../../core/remote/remote-host.ts';
import { directoryEntries, logFiles } from './log-files.ts';
import { isBeingCollected, removePacks, unchangedFiles } from './packed-files.ts';
import { isProvenGone, statesIn } from './state-file.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';

/** Results that the server may not have yet: `reconcile` and the recovery of a lost runner need them. */
const KEPT = /(?:^|\/)offline_results_[^/]*$|\.ledger$/;

/**
 * Deletes the files of a workflow, and the folders that become empty. Other hosts that share the folder may do the same
 * at the same time: each counts the files that it deleted itself.
 *
 * Refused while a runner of the workflow may still write into the folder, and if a collection of the files began and did not end. Of a
 * collection that ended, only what was collected is deleted.
 */
export function deleteLogsHere(request: HostRequestOf<'delete'>): HostReply {
  const { workflow_id, output_dir, packed_for: packedFor, uncollected } = request;
  const alive = statesIn(output_dir, workflow_id).find((state) => !state.ended && !isProvenGone(state));
  if (alive !== undefined) {
    const message = `the runner on ${alive.hostname} (PID ${alive.pid}) may still write into ${output_dir}; stop it first`;
    return { is: 'refused', code: 'RUNNER_ALIVE' satisfies HostFault, message };
  }
  const isAfterCollection = packedFor !== undefined && packedFor !== null;
  if (!isAfterCollection && uncollected !== true && isBeingCollected(output_dir, workflow_id)) {
    const message = `a collection of the logs in ${output_dir} did not end; collect them again, or delete them all the same: --uncollected`;
    return { is: 'refused', code: 'NOT_COLLECTED' satisfies HostFault, message };
  }
  const files = isAfterCollection
    ? unchangedFiles(output_dir, workflow_id, packedFor)
    : logFiles(output_dir, workflow_id);
  // Another process may have deleted a file.
  const deleted = files.filter(
    (file) => !KEPT.test(file) && unless(['ENOENT'], () => unlinkSync(join(output_dir, file))),
  );
  if (uncollected === true) removePacks(output_dir, workflow_id);
  removeEmptyFolders(output_dir);
  return { is: 'deleted', files: deleted.length };
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
