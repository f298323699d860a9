import type { Draft, Links } from '../draft.ts';
import { template } from '../expand/template.ts';
import { listOf, type Lists } from '../int-list.ts';
import { NameIndex } from '../name-index.ts';
import type { Selections } from '../pattern/selection.ts';
import type { Complain } from '../problems.ts';

/**
 * Warnings about files: two jobs that write the same one, and an input that is not there and that no job writes.
 *
 * Torc accepts both. The first loses the work of one job, the second stops the workflow at its initialization.
 */
export function checkFileFlow(
  draft: Draft,
  links: Links,
  fileExists: ((path: string) => boolean) | undefined,
  complain: Complain,
): void {
  const { files } = draft;
  if (files.length === 0) return;
  const pathAt = pathWriter(draft);
  const writers = writersOf(draft, links, pathAt, complain);
  if (fileExists !== undefined) checkInputs(draft, links, { pathAt, writers, fileExists }, complain);
}

function pathWriter({ files }: Draft): (file: number) => string {
  const templates = files.families.all.map(({ spec, axes }) => template(spec.path, axes));
  return (file) => {
    const { family, combination } = files.families.at(file);
    return templates[family.at]?.render(combination) ?? '';
  };
}

const NONE = -1;

/** Per file the job that writes it; complains of files, and of paths, that two jobs write. */
function writersOf(draft: Draft, links: Links, pathAt: (file: number) => string, complain: Complain): Int32Array {
  const { files, jobs } = draft;
  const writers = new Int32Array(files.length).fill(NONE);
  const reported = new Set<string>();
  const report = (one: number, other: number, file: number): void => {
    if (one === other || isInOrder(draft, links, one, other, file)) return;
    const family = jobs.families.familyOf(other);
    // One warning for each pair of entries of the file, however many instances they have.
    const pair = `${jobs.families.familyOf(one).at} ${family.at}`;
    if (reported.has(pair)) return;
    reported.add(pair);
    const [name, earlier, path] = [jobs.nameAt(other), jobs.nameAt(one), pathAt(file)];
    complain({
      code: 'FILE_WRITTEN_TWICE',
      message: `Jobs '${earlier}' and '${name}' both write ${path}; the one that ends last overwrites the other's file`,
      path: ['jobs', family.at, 'name'],
      found: path,
    });
  };
  for (let job = 0; job < jobs.length; job += 1) {
    eachMember(links.outputFiles, job, files, (file) => {
      const earlier = writers[file] ?? NONE;
      if (earlier !== NONE) report(earlier, job, file);
      writers[file] = job;
    });
  }
  if (links.outputFiles.items.length > 0) {
    const byPath = new NameIndex(files.length, pathAt);
    for (const file of byPath.duplicates.view()) {
      const first = byPath.find(pathAt(file));
      const [one, other] = [writers[first] ?? NONE, writers[file] ?? NONE];
      if (one !== NONE && other !== NONE) report(Math.min(one, other), Math.max(one, other), file);
      // The path has a writer, whichever of its names the job used.
      if (one === NONE) writers[first] = other;
      else if (other === NONE) writers[file] = one;
    }
  }
  return writers;
}

/** Whether one job waits for the other, so that one after the other changes the file. */
function isInOrder({ jobs, files }: Draft, links: Links, one: number, other: number, file: number): boolean {
  let found = false;
  for (const [job, before] of [
    [one, other],
    [other, one],
  ] as const) {
    eachMember(links.dependsOn, job, jobs, (each) => (found ||= each === before));
    eachMember(links.inputFiles, job, files, (each) => (found ||= each === file));
  }
  return found;
}

// A look at a file on a parallel file system takes up to a millisecond: so many take some seconds at most.
const MOST_LOOKS = 10_000;

interface Flow {
  readonly pathAt: (file: number) => string;
  readonly writers: Int32Array;
  readonly fileExists: (path: string) => boolean;
}

function checkInputs(
  { jobs, files }: Draft,
  links: Links,
  { pathAt, writers, fileExists }: Flow,
  complain: Complain,
): void {
  const missing = new Map<number, { readonly paths: string[]; readonly job: string }>();
  const seen = new Uint8Array(files.length);
  const looked = new Set<string>();
  for (let job = 0; job < jobs.length && looked.size < MOST_LOOKS; job += 1) {
    eachMember(links.inputFiles, job, files, (file) => {
      if (seen[file] === 1 || writers[file] !== NONE || looked.size >= MOST_LOOKS) return;
      seen[file] = 1;
      const path = pathAt(file);
      if (looked.has(path)) return;
      looked.add(path);
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

/** Calls back for each record that a job names, those that its patterns select included. */
function eachMember(
  lists: Lists,
  job: number,
  { length, selections }: { readonly length: number; readonly selections: Selections },
  call: (record: number) => void,
): void {
  for (const item of listOf(lists, job)) {
    if (item < length) call(item);
    else for (const member of selections.membersOf(item - length)) call(member);
  }
}
