import { type Lock, takeLock } from '../../../telemetry/produce/lock.ts';
import { Failure } from '../../failure.ts';

/** Takes the lock of this node in each folder, or none. */
export function locksFor(node: string, folders: readonly (string | undefined)[]): Lock {
  const taken: Lock[] = [];
  const release = () => taken.splice(0).forEach((lock) => lock.release());
  for (const folder of new Set(folders)) {
    if (folder === undefined) continue;
    let lock: Lock | undefined;
    try {
      lock = takeLock(folder, node);
    } catch (cause) {
      release();
      throw new Failure(`no lock can be made in ${folder}: ${(cause as Error).message}`, { cause });
    }
    if (lock === undefined) {
      release();
      throw new Failure(`another daemon of ${node} uses ${folder}; end it first`);
    }
    taken.push(lock);
  }
  return { release };
}
