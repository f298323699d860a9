import { setWritable } from '../../cluster/made-file.ts';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import type { Log } from '../facts/log.ts';

/** Makes the protected outputs writable that an earlier attempt of the job made: this one may write them. */
export function openProtected({ output_files: outputs }: ClaimedJob): void {
  for (const { path, protected: isProtected, is_made: isMade } of outputs ?? []) {
    if (isProtected !== true || isMade !== true) continue;
    try {
      setWritable(path, true);
    } catch {
      // The job fails with the reason of the system.
    }
  }
}

/**
 * Makes protected outputs read-only after an attempt: those of one that completed, and before its end is reported, so that a runner
 * which is killed in between leaves nothing writable; and after another one those that were read-only before it.
 */
export function protectOutputs(
  { output_files: outputs, ...job }: ClaimedJob,
  status: Completion['status'],
  log: Log,
): void {
  for (const { path, protected: isProtected, is_made: isMade } of outputs ?? []) {
    if (isProtected !== true || (status !== 'completed' && isMade !== true)) continue;
    try {
      setWritable(path, false);
    } catch (error) {
      const why = { job_id: job.id, job_name: job.name, path, reason: (error as Error).message };
      log.write('warn', 'A protected output could not be made read-only', why);
    }
  }
}
