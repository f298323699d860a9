import type { Draft, Links } from './draft.ts';
import type { Graph } from '../graph/graph.ts';
import type { Complain } from '../problems/problems.ts';
import type { FilePaths } from './file-paths.ts';
import { type SharedFile, sharedFiles, withEachName } from './one-file.ts';

interface Implied {
  readonly links: Links;
  readonly graph: Graph;
  /** The circles of jobs. */
  readonly cycles: readonly (readonly number[])[];
}

interface Joining {
  /** As the file names its records. */
  readonly written: Links;
  readonly paths: FilePaths;
  readonly impliedBy: (links: Links) => Implied;
}

/**
 * Makes the entries of one file one node of the graph: a job that reads one of them waits for the job that writes another.
 *
 * Not where jobs would wait for each other: one that reads a file before another replaces it, and names it differently. There
 * the names decide, with a warning, as the same file runs with Torc.
 */
export function joinEntries(draft: Draft, { written, paths, impliedBy }: Joining, complain: Complain): Implied {
  const hasBoth = written.inputFiles.items.length > 0 && written.outputFiles.items.length > 0;
  let joined = hasBoth ? sharedFiles(draft, written, paths.shared()) : [];
  const apart: SharedFile[] = [];
  for (;;) {
    const found = impliedBy({ ...written, outputFiles: withEachName(draft, written.outputFiles, joined) });
    const circular = new Set(found.cycles.flat());
    const parted = joined.filter(({ writer }) => circular.has(writer));
    if (parted.length === 0) {
      // Otherwise the circle is in the names as well, and is reported.
      if (found.cycles.length === 0) for (const file of apart) warnOf(file, draft, paths, complain);
      return found;
    }
    for (const each of parted) apart.push(each);
    joined = joined.filter(({ writer }) => !circular.has(writer));
  }
}

function warnOf({ entries, writer }: SharedFile, draft: Draft, paths: FilePaths, complain: Complain): void {
  const names = entries.map((file) => `'${draft.files.nameAt(file)}' (${paths.pathAt(file)})`);
  const shown = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), '…'] : names;
  const job = draft.jobs.nameAt(writer);
  complain({
    code: 'SAME_FILE_CIRCLE',
    message:
      `Files ${shown.join(' and ')} are one file, which job '${job}' writes after jobs that wait for it read it: they wait ` +
      `for '${job}' only by the name that it writes. If they need what it writes, the jobs wait for each other`,
    path: ['files', draft.files.families.familyOf(entries[0] ?? 0).at, 'path'],
    found: paths.pathAt(entries[0] ?? 0),
  });
}

const MOST_NAMES = 5;
