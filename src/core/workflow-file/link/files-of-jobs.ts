import type { Axes } from '../expand/axes.ts';
import { SpecFamilies, type SpecFamily } from '../expand/family.ts';
import { isOutside, shiftedTemplate } from '../expand/shift.ts';
import { eachDistinct, type Template } from '../expand/template.ts';
import { IntList } from '../../lists/int-list.ts';
import { sequence } from '../../lists/sequence.ts';
import { NameIndex } from '../pattern/name-index.ts';
import type { Complain, Complaint, ValuePath } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';
import type { FileSpec, JobSpec } from '../shape/workflow.ts';
import { FilePaths } from './file-paths.ts';
import type { PathKey } from './path-key.ts';

interface Given {
  readonly jobs: SpecFamilies<JobSpec>;
  /** The entries of `files`. */
  readonly entries: SpecFamilies<FileSpec>;
  readonly keyOf: PathKey;
  /** The maximum number of files. */
  readonly limit: number;
}

/** A path in `inputs` or `outputs` of a job, with the combinations of parameters that give files not seen before. */
interface Source {
  readonly family: SpecFamily<JobSpec>;
  readonly path: Template;
  readonly field: 'inputs' | 'outputs';
  readonly place: ValuePath;
  readonly own: IntList;
}

const RECORD: FileSpec = { name: '{path}', path: '{path}' };

/**
 * The files of a workflow: the entries of `files`, and one for each further file that `inputs` and `outputs` of jobs name, called
 * by its path as it is written where it stands first.
 *
 * They are compared as files are anywhere: a path of a job in another spelling, or of an entry, gives no second file. `complain`
 * puts what checks find wrong with such a file at its path in the job.
 */
export function withFilesOfJobs(
  { jobs, entries, keyOf, limit }: Given,
  complain: Complain,
): { readonly files: SpecFamilies<FileSpec>; readonly complain: Complain } {
  const sources = sourcesOf(jobs);
  if (sources.length === 0) return { files: entries, complain };
  findOwn(sources, entries, keyOf);
  let total = entries.length;
  const added = sources.filter(({ own, place, family }) => {
    total += own.length;
    if (total <= limit) return own.length > 0;
    complain({
      code: 'EXPANSION_TOO_LARGE',
      message: `Failed to expand job '${family.spec.name}': ${total} files are more than the limit of ${limit}`,
      path: place,
      found: String(total),
      allowed: [`at most ${limit}`],
    });
    total -= own.length;
    return false;
  });
  const first = entries.all.length;
  return {
    files: new SpecFamilies<FileSpec>(
      [...entries.all.map(({ spec }) => spec), ...added.map(() => RECORD)],
      ({ name }) => name,
      [...entries.all, ...added.map((source) => ({ axes: axesOf(source), count: source.own.length }))],
    ),
    complain: (complaint) => {
      const [field, at] = complaint.path ?? [];
      const source = field === 'files' && typeof at === 'number' ? added[at - first] : undefined;
      complain(
        source === undefined ? complaint : { ...complaint, ...nameTaken(complaint, source), path: source.place },
      );
    },
  };
}

/** Two paths are two names: only an entry of `files` can be called as a path. */
function nameTaken({ code, found = '' }: Complaint, { field }: Source): { readonly plain?: string } {
  if (code !== 'NAME_DUPLICATE') return {};
  const names = field === 'inputs' ? 'input_files' : 'output_files';
  return {
    plain: `${field} takes paths, and '${found}' is the name of an entry of \`files\` with another path: write the name in ${names}, or the path here`,
  };
}

function sourcesOf(jobs: SpecFamilies<JobSpec>): Source[] {
  const sources: Source[] = [];
  for (const family of jobs.all) {
    if (family.count === 0) continue;
    for (const field of ['inputs', 'outputs'] as const)
      for (const [index, { path }] of (family.spec[field] ?? []).entries()) {
        if (path === UNREAD) continue;
        const place = ['jobs', family.at, field, index];
        sources.push({ family, field, path: shiftedTemplate(path, family.axes), place, own: new IntList(1) });
      }
  }
  return sources;
}

/** Gives each source its files that neither an entry nor a source before it names. */
function findOwn(sources: readonly Source[], entries: SpecFamilies<FileSpec>, keyOf: PathKey): void {
  const owners = new IntList();
  const combinations = new IntList();
  for (const [number, { path, family, field }] of sources.entries())
    eachDistinct(path, family.axes, (combination) => {
      if (field === 'inputs' && isOutside(path, combination)) return;
      owners.push(number);
      combinations.push(combination);
    });
  const known = new FilePaths({ families: entries, length: entries.length }, keyOf);
  const keyAt = (index: number): string => {
    const at = index - entries.length;
    return at < 0 ? known.keyAt(index) : keyOf(sources[owners.at(at)]?.path.render(combinations.at(at)) ?? '');
  };
  const duplicates = new NameIndex(entries.length + owners.length, keyAt).duplicates.view();
  let next = duplicates.findIndex((index) => index >= entries.length);
  for (let at = 0; at < owners.length; at += 1) {
    if (duplicates[next] === entries.length + at) next += 1;
    else sources[owners.at(at)]?.own.push(combinations.at(at));
  }
}

const axesOf = ({ path, own }: Source): Axes => ({
  count: own.length,
  axes: [{ name: 'path', stride: 1, values: sequence(own.length, (index) => path.render(own.at(index))) }],
});
