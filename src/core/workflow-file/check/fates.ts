import { eachDistinct } from '../expand/template.ts';
import { shiftedTemplate } from '../expand/shift.ts';
import type { Draft } from '../link/draft.ts';
import type { Linked } from '../link/link.ts';
import { eachMember } from '../link/members.ts';
import type { Complain, ProblemCode, ValuePath } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';

/** What becomes of a file when jobs have completed. */
export interface FileFate {
  readonly temporary?: true;
  readonly protected?: true;
}

const NONE: FileFate = {};

/**
 * The fate of each file, by its number: from its entry in `files`, or from an output of a job with its path.
 *
 * A temporary file is kept, with a warning, where its deletion could take something else: a file with several entries, whose readers
 * may be those of another one, and a folder in which other files of the workflow are.
 */
export function fatesOf(draft: Draft, { links, paths }: Linked, complain: Complain): (file: number) => FileFate {
  const { jobs, files } = draft;
  const places = new Map<number, ValuePath>();
  const fates = new Map<number, FileFate>();
  const give = (file: number, fate: FileFate, place: ValuePath) => {
    const known = fates.get(file);
    if (known === undefined) places.set(file, place);
    fates.set(file, { ...known, ...fate });
  };
  const ofEntries = new Map(
    files.families.all.flatMap(({ spec, at }) => {
      const fate = fateIn(spec);
      if (fate === NONE) return [];
      refuseBoth(fate, ['files', at], complain);
      return [[at, fate] as const];
    }),
  );
  for (let file = 0; ofEntries.size > 0 && file < files.length; file += 1) {
    const { at } = files.families.familyOf(file);
    const fate = ofEntries.get(at);
    if (fate !== undefined) give(file, fate, ['files', at, 'temporary']);
  }
  for (const { spec, at, axes, count } of jobs.families.all)
    for (const [index, output] of (spec.outputs ?? []).entries()) {
      const fate = fateIn(output);
      if (fate === NONE || count === 0 || output.path === UNREAD) continue;
      refuseBoth(fate, ['jobs', at, 'outputs', index], complain);
      const template = shiftedTemplate(output.path, axes);
      eachDistinct(template, axes, (combination) => {
        const file = paths.find(template.render(combination));
        if (file >= 0) give(file, fate, ['jobs', at, 'outputs', index, 'temporary']);
      });
    }
  if (fates.size === 0) return () => NONE;

  const [written, read] = [new Uint8Array(files.length), new Uint8Array(files.length)];
  for (let job = 0; job < jobs.length; job += 1) {
    eachMember(links.outputFiles, job, files, (file) => (written[file] = 1));
    eachMember(links.inputFiles, job, files, (file) => (read[file] = 1));
  }
  const reported = new Set<string>();
  const warn = (file: number, code: ProblemCode, message: string) => {
    const path = places.get(file) ?? [];
    const once = `${code} ${path.join('.')}`;
    if (reported.has(once)) return;
    reported.add(once);
    complain({ code, message, path, found: paths.pathAt(file) });
  };
  const keep = (file: number, why: string) => {
    const { temporary, ...others } = fates.get(file) ?? NONE;
    if (temporary === undefined) return;
    fates.set(file, others);
    warn(file, 'TEMPORARY_KEPT', `${paths.pathAt(file)} is temporary and will be kept: ${why}`);
  };
  for (const group of paths.shared())
    for (const file of group)
      keep(file, `${group.length} entries of files name it. Name it once, so that it is known which jobs read it`);
  const temporary = new Map<string, number>();
  for (const [file, fate] of fates) if (fate.temporary === true) temporary.set(paths.keyAt(file), file);
  for (let file = 0; temporary.size > 0 && file < files.length; file += 1) {
    const key = paths.keyAt(file);
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const folder = temporary.get(key.slice(0, end));
      if (folder !== undefined) keep(folder, `${paths.pathAt(file)}, another file of the workflow, is in it`);
    }
  }
  for (const [file, fate] of fates) {
    if (fate.temporary === undefined) continue;
    if (written[file] === 0) keep(file, 'no job makes it, and only what a job made is deleted');
    else if (read[file] === 0)
      warn(
        file,
        'TEMPORARY_UNREAD',
        `${paths.pathAt(file)} is temporary and no job reads it: it will be deleted as soon as the job that makes it has completed`,
      );
  }
  return (file) => fates.get(file) ?? NONE;
}

function fateIn({ temporary, protected: isProtected }: { readonly temporary?: boolean; readonly protected?: boolean }) {
  if (temporary !== true && isProtected !== true) return NONE;
  return { ...(temporary === true && { temporary }), ...(isProtected === true && { protected: isProtected }) };
}

function refuseBoth(fate: FileFate, place: ValuePath, complain: Complain): void {
  if (fate.temporary === undefined || fate.protected === undefined) return;
  complain({
    code: 'FATE_CONFLICT',
    message:
      'a file is either temporary or protected, not both: a temporary one is deleted when its readers have completed',
    path: [...place, 'protected'],
    found: 'true',
  });
}
