import { type Lock, takeNodeLock } from '../../../cluster/node-lock.ts';
import type { Output } from '../../output/output.ts';
import { Failure } from '../../command/failure.ts';

/** Runs `work` with the lock of the node in the folder; without a folder there is no lock. */
export async function withLock(
  folder: string | undefined,
  node: string,
  output: Output,
  work: () => Promise<void>,
): Promise<void> {
  if (folder === undefined) return work();
  const lock = lockIn(folder, node, '--lockdir: ');
  if (lock === undefined) {
    output.warn(`another sample of ${node} holds the lock in ${folder}; nothing is printed`);
    return;
  }
  // A lock that a killed program leaves is taken over; these signals end it in order.
  const release = () => lock.release();
  process.once('exit', release);
  try {
    await work();
  } finally {
    release();
    process.off('exit', release);
  }
}

/** Takes the lock of this node in each folder, or none. */
export function locksFor(node: string, folders: readonly (string | undefined)[]): Lock {
  const taken: Lock[] = [];
  const release = () => taken.splice(0).forEach((lock) => lock.release());
  for (const folder of new Set(folders)) {
    if (folder === undefined) continue;
    let lock: Lock | undefined;
    try {
      lock = lockIn(folder, node);
    } catch (error) {
      release();
      throw error;
    }
    if (lock === undefined) {
      release();
      throw new Failure(`another daemon of ${node} uses ${folder}; end it first`);
    }
    taken.push(lock);
  }
  return { release };
}

function lockIn(folder: string, node: string, option = ''): Lock | undefined {
  try {
    return takeNodeLock(folder, node);
  } catch (cause) {
    throw new Failure(`${option}no lock can be made in ${folder}: ${(cause as Error).message}`, { cause });
  }
}
