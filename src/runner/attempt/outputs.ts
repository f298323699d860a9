import { lstatSync, type Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { type MadeStamp, stampOf } from '../../cluster/made-file.ts';
import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';

/** The declared outputs of an attempt as they were when it began. */
export interface OutputsBefore {
  /** By their paths; resolves with those that were there, and have been for a while. */
  readonly files: Promise<ReadonlyMap<string, Stats>>;
  /** Paths of temporary and protected folders that were there. */
  readonly folders: ReadonlySet<string>;
}

/** What the attempt wrote itself in the moment before its outputs were looked at is newer than this. */
const MARGIN_MS = 2_000;

/**
 * Looks at the outputs that are there before an attempt begins, off the main thread: their file system may be slow, or hang. Undefined
 * for a job without outputs.
 */
export function lookBefore({ output_files: outputs }: ClaimedJob): OutputsBefore | undefined {
  if (!outputs || outputs.length === 0) return undefined;
  const beganAtMs = Date.now();
  // The job may have begun meanwhile. A folder says nothing of the files in it.
  const isOld = (stats: Stats) => stats.isFile() && stats.ctimeMs < beganAtMs - MARGIN_MS;
  return {
    files: fileStats(outputs.map(({ path }) => path)).then(
      (all) => new Map([...all].filter(([, each]) => isOld(each))),
    ),
    // At once: a folder that was there before is not the job's, and a moment later it would not be known.
    folders: new Set(outputs.flatMap((output) => (hasFate(output) && isFolder(output.path) ? [output.path] : []))),
  };
}

type DeclaredOutput = NonNullable<ClaimedJob['output_files']>[number];
const hasFate = ({ temporary, protected: isProtected }: DeclaredOutput): boolean =>
  temporary === true || isProtected === true;

const isFolder = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
};

/** The declared outputs of a job that exited with 0. */
export interface Outputs {
  /** Paths of those that do not exist. */
  readonly missing: readonly string[];
  /** Paths of those that were there before, and that it did not touch. */
  readonly stale: readonly string[];
  /** Those that exist, with their modification times, and what this attempt made of them. */
  readonly files: NonNullable<Completion['files']>;
}

/** Checks the declared outputs of a job, off the main thread as well. */
export async function lookAfter(
  { output_files: outputs }: ClaimedJob,
  lookedBefore: OutputsBefore | undefined,
): Promise<Outputs> {
  const declared = outputs ?? [];
  const paths = declared.map(({ path }) => path);
  const [after, before, stamps] = await Promise.all([
    fileStats(paths),
    lookedBefore?.files,
    Promise.all(declared.map((output) => madeAt(output.path, hasFate(output)))),
  ]);
  const stale = new Set(paths.filter((path) => isUntouched(before?.get(path), after.get(path))));
  return {
    missing: paths.filter((path) => !after.has(path)),
    stale: [...stale],
    files: declared.flatMap(({ id, path }, index) => {
      const stats = after.get(path);
      const stamp = stale.has(path) ? undefined : stamps[index];
      if (stats === undefined) return [];
      return [
        {
          id,
          st_mtime: stats.mtimeMs / 1000,
          ...(stamp && { made_mtime: stamp.st_mtime, made_size: stamp.st_size }),
          ...(stamp && lookedBefore?.folders.has(path) === true && { was_there: true }),
        },
      ];
    }),
  };
}

/** Of a folder only if it will be deleted or is protected: it is walked through. */
async function madeAt(path: string, walks: boolean): Promise<MadeStamp | undefined> {
  try {
    const own = await lstat(path);
    return own.isDirectory() && !walks ? undefined : await stampOf(path, own);
  } catch {
    return undefined;
  }
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
