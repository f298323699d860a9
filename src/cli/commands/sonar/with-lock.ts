import { takeLock } from '../../../telemetry/produce/lock.ts';
import type { Output } from '../../output/output.ts';
import { Failure } from '../../failure.ts';

/** Runs `work` with the lock of the node in the folder; without a folder there is no lock. */
export async function withLock(
  folder: string | undefined,
  node: string,
  output: Output,
  work: () => Promise<void>,
): Promise<void> {
  if (folder === undefined) return work();
  const lock = locked(folder, node);
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

function locked(folder: string, node: string) {
  try {
    return takeLock(folder, node);
  } catch (cause) {
    throw new Failure(`--lockdir: no lock can be made in ${folder}: ${(cause as Error).message}`, { cause });
  }
}
