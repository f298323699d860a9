import { setField } from '../../json/read-json.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import { templateNames } from '../text/template-names.ts';
import { isList, isMap, type Value, type ValueMap } from '../text/value.ts';
import { atStar, type Glob, namesItsParts, globPath, readGlob } from './glob.ts';
import { disagreement, groupsOf, type Matched, projected, type ValueGroup } from './groups.ts';
import type { GlobMatch, LookAtFiles } from './look.ts';
import { faultOfValue, rowsOf } from './match.ts';

export interface AppliedGlobs {
  /** The workflow with paths and parameters in place of patterns. */
  readonly root: ValueMap;
  readonly globs: readonly GlobMatch[];
  /** Which values of parameters stand together. */
  readonly groups: readonly ValueGroup[];
  /** False if something was wrong: then the values are not those of files. */
  readonly isWhole: boolean;
}

/**
 * Files by pattern (an addition to Torc): `glob: 'raw/*.fastq'` of `raw_{sample}` gives the parameter `sample` of the workflow
 * the texts for which the star stands, and is `path: 'raw/{sample}.fastq'` with `use_parameters: [sample]`. A pattern with names in
 * braces, `raw/{sample}_{lane}.fastq`, gives each its values, and only combinations that are there.
 */
export function applyGlobs(root: ValueMap, look: LookAtFiles | undefined, complain: Complain): AppliedGlobs {
  const { files } = root;
  if (!isList(files) || !files.some((file) => isMap(file) && Object.hasOwn(file, 'glob')))
    return { root, globs: [], groups: [], isWhole: true };
  let isWhole = true;
  const given = isMap(root['parameters']) ? root['parameters'] : {};
  const found = new Map<string, readonly string[]>();
  const matches: Matched[] = [];
  const read = files.map((file, index): Value => {
    if (!isMap(file)) return file;
    const { glob: text, ...rest } = file;
    if (typeof text !== 'string') return file;
    const path: ValuePath = ['files', index, 'glob'];
    const refuse: Refuse = (code, message, at = path) => {
      isWhole = false;
      complain({ code, message: `glob '${text}' ${message}`, path: at, found: text });
    };
    const glob = globOf(text, file, refuse, path.slice(0, -1));
    const parameters = glob?.parameters ?? namesOf(text, file);
    // Whatever is wrong with it is reported: the rest of the file is checked as if it had a path and these parameters.
    const template = glob?.template ?? atStar(text, parameters[0] ?? '');
    const asPath = { ...rest, glob: text, path: template, use_parameters: [...parameters] };
    for (const parameter of parameters) {
      if (glob !== undefined && Object.hasOwn(given, parameter))
        refuse('GLOB_REFUSED', `gives values to '${parameter}', which is in parameters, too`, [
          'parameters',
          parameter,
        ]);
      // Without values its own name is one, so that what uses the parameter is checked, too.
      if (!found.has(parameter)) found.set(parameter, [parameter]);
    }
    const match = glob === undefined ? undefined : matchOf(text, glob, look, refuse);
    if (match !== undefined) {
      for (const earlier of matches) {
        const fault = disagreement(earlier, match);
        if (fault === undefined) continue;
        refuse(fault.code, fault.message);
        break;
      }
      matches.push(match);
    }
    return asPath;
  });
  const groups = isWhole ? groupsOf(matches) : [];
  for (const match of isWhole ? groups : matches)
    for (const name of match.parameters) found.set(name, projected(match, [name]).flat().sort());
  const parameters: Record<string, Value> = { ...given };
  for (const [name, values] of found) setField(parameters, name, values as Value);
  const withParameters = found.size === 0 ? {} : { parameters };
  const globs = matches.map(({ glob, parameters: names, rows }) => ({ glob, parameters: names, rows }));
  return { root: { ...root, ...withParameters, files: read }, globs, groups, isWhole };
}

type Refuse = (code: 'GLOB_REFUSED' | 'GLOB_UNMATCHED', message: string, at?: ValuePath) => undefined;

/** The names in braces of a file and its pattern, where they do not fit together. */
const namesOf = (glob: string, { name }: ValueMap): string[] => [
  ...new Set(
    [typeof name === 'string' ? name : '', glob].flatMap((text) => [...templateNames(text)].map((each) => each.name)),
  ),
];

const EXCLUDED = ['path', 'parameters', 'parameter_mode', 'use_parameters', 'parameters_file', 'use_parameters_file'];

/** The pattern of a file; undefined, reported, if it or what stands beside it cannot be. */
function globOf(text: string, file: ValueMap, refuse: Refuse, at: ValuePath): Glob | undefined {
  const other = EXCLUDED.find((name) => Object.hasOwn(file, name));
  if (other !== undefined)
    return refuse('GLOB_REFUSED', `cannot stand beside \`${other}\`: it gives the path and the values`, [...at, other]);
  const name = typeof file['name'] === 'string' ? file['name'] : '';
  const parameters = [...new Set([...templateNames(name)].map((each) => each.name))];
  const contains = parameters.length === 0 ? `'${name}' contains none` : `'${name}' contains ${listed(parameters)}`;
  if (!namesItsParts(text) && parameters.length !== 1) {
    refuse('GLOB_REFUSED', `needs a name with one parameter, as in raw_{sample}; ${contains}`, [...at, 'name']);
    return undefined;
  }
  const glob = readGlob(text, parameters[0] ?? '');
  if (typeof glob === 'string') return refuse('GLOB_REFUSED', glob);
  if (glob.parameters.toSorted().join() === parameters.toSorted().join()) return glob;
  refuse('GLOB_REFUSED', `needs a name with its parameters, ${listed(glob.parameters)}; ${contains}`, [...at, 'name']);
  return undefined;
}

const listed = (names: readonly string[]): string => names.join(' and ');

/** What the pattern matches; undefined, reported, if nothing does or something cannot be a value. */
function matchOf(text: string, glob: Glob, look: LookAtFiles | undefined, refuse: Refuse): Matched | undefined {
  if (look === undefined) return refuse('GLOB_REFUSED', 'is matched where the files are: use torc run or torc create');
  let rows: ReturnType<typeof rowsOf>;
  try {
    rows = rowsOf(glob, look);
  } catch (cause) {
    return refuse('GLOB_UNMATCHED', `matches nothing: ${(cause as Error).message}`);
  }
  if (!Array.isArray(rows)) {
    const { path, parameter, values } = rows;
    return refuse(
      'GLOB_REFUSED',
      `is ambiguous: in ${JSON.stringify(path)} {${parameter}} may be ${values.map((value) => JSON.stringify(value)).join(' or ')}; separate the parts by text that no value contains, or list the values in a parameters_file`,
    );
  }
  if (rows.length === 0) return refuse('GLOB_UNMATCHED', 'matches no file below the folder in which torc runs');
  for (const row of rows) {
    const wrong = row.find((value) => faultOfValue(value) !== undefined);
    if (wrong === undefined) continue;
    const path = globPath(glob, new Map(glob.parameters.map((name, at) => [name, row[at] as string])));
    refuse(
      'GLOB_REFUSED',
      `matches ${JSON.stringify(path)}, and ${JSON.stringify(wrong)} cannot be a value: it ${faultOfValue(wrong)}; rename the file`,
    );
    return undefined;
  }
  return { glob: text, parameters: glob.parameters, rows, template: glob.template };
}
