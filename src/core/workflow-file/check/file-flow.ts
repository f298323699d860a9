import type { Draft, Links } from '../link/draft.ts';
import type { FilePaths } from '../link/file-paths.ts';
import { eachMember } from '../link/members.ts';
import type { Linked } from '../link/link.ts';
import type { Complain } from '../problems/problems.ts';

/**
 * Warnings about files: two jobs that write the same one, and an input that is not there and that no job writes.
 *
 * Torc accepts both. The first loses the work of one job, the second stops the workflow at its initialization.
 */
export function checkFileFlow(
  draft: Draft,
  { links, paths }: Linked,
  fileExists: ((path: string) => boolean) | undefined,
  complain: Complain,
): void {
  const { files } = draft;
  if (files.length === 0) return;
  const writers = writersOf(draft, links, paths, complain);
  if (fileExists !== undefined) checkInputs(draft, links, { paths, writers, fileExists }, complain);
}

const NONE = -1;

/** Per file the job that writes it; complains of files, and of paths, that two jobs write. */
function writersOf(draft: Draft, links: Links, paths: FilePaths, complain: Complain): Int32Array {
  const { files, jobs } = draft;
  const writers = new Int32Array(files.length).fill(NONE);
  const reported = new Set<string>();
  const groups = links.outputFiles.items.length > 0 ? paths.shared() : [];
  const entriesOf = new Map(groups.flatMap((group) => group.map((file) => [file, group] as const)));
  const report = (one: number, other: number, [file, alias = file]: readonly [number, number?]): void => {
    if (one === other) return;
    const family = jobs.families.familyOf(other);
    // One warning for each pair of entries of the file, however many instances they have.
    const pair = `${jobs.families.familyOf(one).at} ${family.at}`;
    if (reported.has(pair) || isInOrder(draft, links, { one, other, entries: entriesOf.get(file) ?? [file] })) return;
    reported.add(pair);
    const [name, earlier, path] = [jobs.nameAt(other), jobs.nameAt(one), paths.pathAt(file)];
    const spellings = new Set([paths.pathAt(alias), path]);
    const what = spellings.size === 1 ? path : `one file, ${[...spellings].join(' and ')}`;
    complain({
      code: 'FILE_WRITTEN_TWICE',
      message: `Jobs '${earlier}' and '${name}' both write ${what}; the one that ends last overwrites the other's file`,
      path: ['jobs', family.at, 'name'],
      found: path,
    });
  };
  for (let job = 0; job < jobs.length; job += 1) {
    eachMember(links.outputFiles, job, files, (file) => {
      const earlier = writers[file] ?? NONE;
      if (earlier !== NONE) report(earlier, job, [file]);
      writers[file] = job;
    });
  }
  for (const [first = NONE, ...others] of groups) {
    for (const file of others) {
      const [one, other] = [writers[first] ?? NONE, writers[file] ?? NONE];
      if (one !== NONE && other !== NONE) report(Math.min(one, other), Math.max(one, other), [file, first]);
      if (one === NONE) writers[first] = other;
    }
    // The file has a writer, whichever of its names the job used.
    for (const file of others) if (writers[file] === NONE) writers[file] = writers[first] ?? NONE;
  }
  return writers;
}

interface Pair {
  readonly one: number;
  readonly other: number;
  /** The entries of the file that both write. */
  readonly entries: readonly number[];
}

/** Whether one job waits for the other, so that one after the other changes the file. */
function isInOrder({ jobs, files }: Draft, links: Links, { one, other, entries }: Pair): boolean {
  const ofFile = new Set(entries);
  let found = false;
  for (const [job, before] of [
    [one, other],
    [other, one],
  ] as const) {
    eachMember(links.dependsOn, job, jobs, (each) => (found ||= each === before));
    const read = new Set<number>();
    eachMember(links.inputFiles, job, files, (each) => ofFile.has(each) && read.add(each));
    if (read.size > 0) eachMember(links.outputFiles, before, files, (each) => (found ||= read.has(each)));
  }
  return found;
}

// A look at a file on a parallel file system takes up to a millisecond: so many take some seconds at most.
const MOST_LOOKS = 10_000;

interface Flow {
  readonly paths: FilePaths;
  readonly writers: Int32Array;
  readonly fileExists: (path: string) => boolean;
}

function checkInputs(
  { jobs, files }: Draft,
  links: Links,
  { paths, writers, fileExists }: Flow,
  complain: Complain,
): void {
  const missing = new Map<number, { readonly paths: string[]; readonly job: string }>();
  const seen = new Uint8Array(files.length);
  const looked = new Set<string>();
  for (let job = 0; job < jobs.length && looked.size < MOST_LOOKS; job += 1) {
    eachMember(links.inputFiles, job, files, (file) => {
      if (seen[file] === 1 || writers[file] !== NONE || looked.size >= MOST_LOOKS) return;
      seen[file] = 1;
      const [path, key] = [paths.pathAt(file), paths.keyAt(file)];
      if (looked.has(key)) return;
      looked.add(key);
      if (fileExists(path)) return;
      const { at } = files.families.familyOf(file);
      const known = missing.get(at) ?? { paths: [], job: jobs.nameAt(job) };
      known.paths.push(path);
      missing.set(at, known);
    });
  }
  for (const [at, { paths, job }] of missing) {
    const [first = '', ...others] = paths;
    const atLeast = looked.size < MOST_LOOKS ? '' : 'at least ';
    const found =
      others.length === 0
        ? `${first} does not exist, job '${job}' reads it, and no job writes it`
        : `${first} and ${atLeast}${others.length} more of this entry do not exist, jobs such as '${job}' read them, and no job writes them`;
    const them = others.length === 0 ? 'it' : 'them';
    complain({
      code: 'INPUT_MISSING',
      message: `${found}. Name ${them} in output_files of the job that writes ${them}, or put ${them} there before you start`,
      path: ['files', at, 'path'],
      found: first,
    });
  }
}
