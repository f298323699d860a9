import type { Draft, Links } from '../link/draft.ts';
import { templateOf } from '../expand/template.ts';
import type { Lists } from '../../lists/int-list.ts';
import type { Complain } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';

const RESERVED = /^(?:#torc-|#software-|#job-)|^(?:ro-crate-metadata\.json|\.\/)$/;

/**
 * A file's identifier names it in the provenance record: only an external input may have one, and each belongs to one
 * file.
 */
export function checkIdentifiers(draft: Draft, links: Links, complain: Complain): void {
  const { families } = draft.files;
  if (!families.all.some(({ spec }) => spec.identifier !== undefined)) return;
  const isInput = marked(draft, links.inputFiles);
  const isOutput = marked(draft, links.outputFiles);
  const owners = new Map<string, number>();
  for (const family of families.all) {
    const { spec, at, axes, count, first, name } = family;
    if (spec.identifier === undefined) continue;
    const identifier = templateOf(spec.identifier, axes);
    for (let combination = 0; combination < count; combination += 1) {
      const [file, id] = [name.render(combination), identifier.render(combination)];
      const refuse = (message: string): void =>
        complain({ code: 'IDENTIFIER_REFUSED', message, path: ['files', at, 'identifier'], found: id });
      if (draft.spec.enable_ro_crate !== true) refuse(`File '${file}': identifier needs enable_ro_crate: true`);
      const owner = owners.get(id);
      if (id.trim() === '') refuse(`File '${file}': identifier is empty`);
      else if (RESERVED.test(id)) refuse(`File '${file}': identifier '${id}' is reserved`);
      else if (owner !== undefined) {
        refuse(`Duplicate file identifier '${id}' of files '${families.nameAt(owner)}' and '${file}'`);
      } else owners.set(id, first + combination);
      if (isOutput(first + combination)) {
        refuse(`File '${file}': identifier is for inputs of the workflow, and the file is an output of a job`);
      } else if (!isInput(first + combination) && spec.st_mtime === undefined) {
        refuse(`File '${file}': identifier is for inputs of the workflow, and no job has the file as input`);
      }
    }
  }
  checkPaths(draft, owners, complain);
}

/** An identifier that is the path of another file would refer to both. */
function checkPaths({ files: { families } }: Draft, owners: ReadonlyMap<string, number>, complain: Complain): void {
  for (const { spec, axes, count, first, name } of families.all) {
    if (spec.path === UNREAD) continue;
    const path = templateOf(spec.path, axes);
    for (let combination = 0; combination < count; combination += 1) {
      const written = path.render(combination);
      const owner = owners.get(written);
      if (owner === undefined || owner === first + combination) continue;
      const names = `'${families.nameAt(owner)}' equals the path of file '${name.render(combination)}'`;
      complain({
        code: 'IDENTIFIER_REFUSED',
        message: `identifier '${written}' of file ${names}`,
        path: ['files', families.familyOf(owner).at, 'identifier'],
        found: written,
      });
    }
  }
}

/** Whether a file is in a list of some job, by name or by pattern. */
function marked({ files }: Draft, { items }: Lists): (file: number) => boolean {
  const marks = new Uint8Array(files.length);
  for (const item of new Set(items)) {
    if (item < files.length) marks[item] = 1;
    else for (const member of files.selections.membersOf(item - files.length)) marks[member] = 1;
  }
  return (file) => marks[file] === 1;
}
