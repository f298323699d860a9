import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A file of envelopes, and the cluster that its folder is named after. */
export interface InputFile {
  readonly path: string;
  readonly bytes: number;
  readonly cluster?: string;
}

const ENVELOPES = /\.(?:json|ndjson|jsonl)(?:\.gz)?$/;
const LINKS = /\.links$/;
/** `data/fox.example.org/2026/03/01/0+sample-c1.json`: the name is that of the folder above the day. */
const IN_TREE = /([^/]+)\/\d{4}\/\d{2}\/\d{2}\/[^/]+$/;

/**
 * The files of envelopes at the given paths: files as they are named, and of folders all that end in `.json`, `.ndjson`,
 * `.jsonl` or one of these and `.gz`, at any depth, in the order of their names, which is that of days.
 *
 * Throws: the error of the file system for a path that cannot be read.
 */
export function inputFilesOf(paths: readonly string[]): InputFile[] {
  return paths.flatMap((path) => {
    if (path === '-') return [{ path, bytes: 0 }];
    const found = statSync(path);
    if (found.isDirectory()) return filesBelow(path, ENVELOPES).map((file) => fileAt(file, statSync(file).size));
    return LINKS.test(path) ? [] : [fileAt(path, found.size)];
  });
}

/** The files of links at the given paths, which runners write beside their samples. */
export const linkFiles = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => {
    if (path === '-') return [];
    if (statSync(path).isDirectory()) return filesBelow(path, LINKS);
    return LINKS.test(path) ? [path] : [];
  });

function filesBelow(folder: string, names: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path, names);
      return names.test(basename(path)) ? [path] : [];
    });
}

function fileAt(path: string, bytes: number): InputFile {
  const cluster = IN_TREE.exec(path)?.[1];
  return { path, bytes, ...(cluster === undefined ? {} : { cluster }) };
}
