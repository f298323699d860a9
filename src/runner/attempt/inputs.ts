import { stat } from 'node:fs/promises';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { InputStamps } from '../../core/contract/result.ts';

/** The inputs of an attempt as they were when it began; those that could not be looked at are left out. */
export type LookedAtInputs = Promise<InputStamps>;

/**
 * Looks at the inputs of an attempt as it begins, off the main thread: what changes later is newer than what the attempt says it read,
 * so at worst its job runs once more. Undefined for a job without inputs.
 */
export function lookAtInputs({ input_files: inputs }: ClaimedJob): LookedAtInputs | undefined {
  if (!inputs || inputs.length === 0) return undefined;
  return Promise.all(
    inputs.map(async ({ id, path }) => {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? [] : [{ id, st_mtime: stats.mtimeMs / 1000, st_size: stats.size }];
    }),
  ).then((found) => found.flat());
}
