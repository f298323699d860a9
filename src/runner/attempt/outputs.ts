import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';

/** The declared outputs of an attempt as they were when it began, by their paths; resolves with those that were there. */
export type OutputsBefore = Promise<ReadonlyMap<string, Stats>>;

/** What the attempt wrote itself in the moment before its outputs were looked at is newer than this. */
const MARGIN_MS = 2_000;

/**
 * Looks at the outputs that are there before an attempt begins, off the main thread: their file system may be slow, or hang. Undefined
 * for a job without outputs.
 */
export function lookBefore({ output_files: outputs }: ClaimedJob): OutputsBefore | undefined {
  if (!outputs || outputs.length === 0) return undefined;
  const beganAtMs = Date.now();
  return fileStats(outputs.map(({ path }) => path)).then(
    // The job may have begun meanwhile. A folder says nothing of the files in it.
    (all) => new Map([...all].filter(([, each]) => each.isFile() && each.ctimeMs < beganAtMs - MARGIN_MS)),
  );
}

/** The declared outputs of a job that exited with 0. */
export interface Outputs {
  /** Paths of those that do not exist. */
  readonly missing: readonly string[];
  /** Paths of those that were there before, and that it did not touch. */
  readonly stale: readonly string[];
  /** Those that exist, with their modification times. */
  readonly files: NonNullable<Completion['files']>;
}

/** Checks the declared outputs of a job, off the main thread as well. */
export async function lookAfter(
  { output_files: outputs }: ClaimedJob,
  lookedBefore: OutputsBefore | undefined,
): Promise<Outputs> {
  const declared = outputs ?? [];
  const paths = declared.map(({ path }) => path);
  const [after, before] = await Promise.all([fileStats(paths), lookedBefore]);
  return {
    missing: paths.filter((path) => !after.has(path)),
    stale: paths.filter((path) => isUntouched(before?.get(path), after.get(path))),
    files: declared.flatMap(({ id, path }) => {
      const stats = after.get(path);
      return stats === undefined ? [] : [{ id, st_mtime: stats.mtimeMs / 1000 }];
    }),
  };
}

const isUntouched = (before: Stats | undefined, after: Stats | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  (['ino', 'size', 'mtimeMs', 'ctimeMs'] as const).every((field) => before[field] === after[field]);

/** What there is at these paths; those at which there is nothing are left out. */
export async function fileStats(paths: readonly string[]): Promise<Map<string, Stats>> {
  const all = await Promise.all(paths.map(async (path) => [path, await stat(path).catch(() => undefined)] as const));
  return new Map(all.flatMap(([path, stats]) => (stats === undefined ? [] : [[path, stats] as const])));
}
