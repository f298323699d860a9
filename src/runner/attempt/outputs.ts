import { stat } from 'node:fs/promises';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';

export interface Outputs {
  /** Paths of declared outputs that do not exist. */
  readonly missing: readonly string[];
  /** The outputs that exist, with their modification times. */
  readonly files: NonNullable<Completion['files']>;
}

/** Checks the declared outputs of a job, off the main thread: their file system may be slow, or hang. */
export async function lookForOutputs({ output_files: outputs }: ClaimedJob): Promise<Outputs> {
  const found = await Promise.all(
    (outputs ?? []).map(async ({ id, path }) => {
      const stats = await stat(path).catch(() => undefined);
      return { id, path, seconds: stats === undefined ? undefined : stats.mtimeMs / 1000 };
    }),
  );
  return {
    missing: found.flatMap(({ path, seconds }) => (seconds === undefined ? [path] : [])),
    files: found.flatMap(({ id, seconds }) => (seconds === undefined ? [] : [{ id, st_mtime: seconds }])),
  };
}
