/**
 * Values of the Common Workflow Language (CWL 1.2, https://www.commonwl.org/v1.2): JSON, with objects of the class File and
 * Directory. What is known only in a run is `Later`.
 */
export type Cwl = null | boolean | number | string | Later | readonly Cwl[] | CwlMap;
export type CwlMap = { readonly [key: string]: Cwl };

/** A value that is known only when a job has run, with the reason. */
export class Later {
  readonly why: string;
  /** The files are those that match it then. */
  readonly pattern: string | undefined;

  constructor(why: string, pattern?: string) {
    this.why = why;
    this.pattern = pattern;
  }
}

/** What a converter cannot carry over: the whole step or tool is refused. */
export class Unsupported extends Error {}

export const isCwlMap = (value: Cwl | undefined): value is CwlMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Later);
export const isCwlList = (value: Cwl | undefined): value is readonly Cwl[] => Array.isArray(value);
export const isCwlFile = (value: Cwl | undefined): value is CwlMap =>
  isCwlMap(value) && (value['class'] === 'File' || value['class'] === 'Directory');

/** A name or a text; other values as JSON. */
export const nameIn = (value: Cwl | undefined): string =>
  typeof value === 'string' ? value : value instanceof Later ? value.why : JSON.stringify(value ?? null);

/** Signs in texts for folders that only the shell of the job knows: where the run was started, that of the job, for temporary files. */
export const FOLDERS = { start: '\u0001', job: '\u0002', temporary: '\u0003' } as const;

/** A file with the properties that references read. `path` is relative to the folder where the run is started, or absolute. */
export function fileAt(path: string, kind: 'File' | 'Directory' = 'File'): CwlMap {
  const shown = path.startsWith('/') ? path : `${FOLDERS.start}/${path}`;
  const basename = path.replace(/^.*\//, '');
  const [, nameroot = basename, nameext = ''] = /^(.+?)(\.[^.]*)?$/.exec(basename) ?? [];
  return {
    class: kind,
    path: shown,
    location: `file://${shown}`,
    basename,
    dirname: shown.replace(/\/[^/]*$/, ''),
    ...(kind === 'File' ? { nameroot, nameext } : {}),
  };
}

/** The path of a file as a workflow file names it. */
export const pathOfCwlFile = (file: CwlMap): string => nameIn(file['path']).replace(`${FOLDERS.start}/`, '');

/** The first part of a value that is known only in a run. */
export function laterIn(value: Cwl): Later | undefined {
  if (value instanceof Later) return value;
  if (isCwlList(value)) return firstOf(value);
  return isCwlMap(value) ? firstOf(Object.values(value)) : undefined;
}

const firstOf = (values: readonly Cwl[]) =>
  values.reduce<Later | undefined>((found, each) => found ?? laterIn(each), undefined);

/** Every file in a value. */
export function filesIn(value: Cwl | undefined): readonly CwlMap[] {
  if (isCwlFile(value)) return [value];
  if (isCwlList(value)) return value.flatMap(filesIn);
  return isCwlMap(value) ? Object.values(value).flatMap(filesIn) : [];
}

/** Entries that are written as a list with `id` (or `class`), or as a map by it; a bare value stands for `usual`. */
export function entriesOf(given: Cwl | undefined, key: string, usual: string): readonly (readonly [string, CwlMap])[] {
  if (isCwlList(given))
    return given.flatMap((each) =>
      isCwlMap(each) ? [[nameIn(each[key] ?? '').replace(/^.*[#/]/, ''), each] as const] : [],
    );
  if (!isCwlMap(given)) return [];
  return Object.entries(given).map(([name, each]) => [
    name.replace(/^.*[#/]/, ''),
    isCwlMap(each) && !(usual === 'default' || (usual === 'type' && 'class' in each)) ? each : { [usual]: each },
  ]);
}
