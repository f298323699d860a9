import { setField } from '../../json/read-json.ts';
import { someOf } from '../../quantity/count-text.ts';
import type { Complain, Path } from '../problems.ts';
import { templateNames } from '../template-names.ts';
import { isList, isMap, type Value, type ValueMap } from '../text/value.ts';
import type { GlobMatch, LookAtFiles } from './look.ts';
import { atStar, faultOfValue, readGlob, valuesOf } from './match.ts';

export interface AppliedGlobs {
  /** The workflow with paths and parameters in place of patterns. */
  readonly root: ValueMap;
  readonly globs: readonly GlobMatch[];
  /** False if something was wrong: then the values are not those of files. */
  readonly isWhole: boolean;
}

/**
 * Files by pattern (an addition to Torc): `glob: 'raw/*.fastq'` of `raw_{sample}` gives the parameter `sample` of the workflow
 * the texts for which the star stands, and is `path: 'raw/{sample}.fastq'` with `use_parameters: [sample]`.
 */
export function applyGlobs(root: ValueMap, look: LookAtFiles | undefined, complain: Complain): AppliedGlobs {
  const { files } = root;
  if (!isList(files) || !files.some((file) => isMap(file) && Object.hasOwn(file, 'glob')))
    return { root, globs: [], isWhole: true };
  let isWhole = true;
  const given = isMap(root['parameters']) ? root['parameters'] : {};
  const found = new Map<string, readonly string[]>();
  const globs: GlobMatch[] = [];
  const read = files.map((file, index): Value => {
    if (!isMap(file)) return file;
    const { glob, ...rest } = file;
    if (typeof glob !== 'string') return file;
    const path: Path = ['files', index, 'glob'];
    const refuse = (code: 'GLOB_REFUSED' | 'GLOB_UNMATCHED', message: string, at: Path = path) => {
      isWhole = false;
      complain({ code, message: `glob '${glob}' ${message}`, path: at, found: glob });
    };
    const parameter = parameterOf(file, refuse, path.slice(0, -1));
    const match = parameter === undefined ? undefined : matchOf(glob, parameter, look, refuse);
    // Whatever is wrong with it is reported: the rest of the file is checked as if it had a path.
    const asPath = { ...rest, glob, path: atStar(glob, `{${parameter ?? ''}}`) };
    if (parameter === undefined) return asPath;
    if (Object.hasOwn(given, parameter))
      refuse('GLOB_REFUSED', `gives values to '${parameter}', which is in parameters, too`, ['parameters', parameter]);
    // Without values the parameter stands for itself, so that what uses it is checked, too.
    if (match !== undefined || !found.has(parameter)) found.set(parameter, match?.values ?? [`{${parameter}}`]);
    if (match === undefined) return { ...asPath, use_parameters: [parameter] };
    const same = globs.find((other) => other.parameter === parameter);
    if (same !== undefined) refuseOther(same, match, refuse);
    globs.push(match);
    return { ...asPath, use_parameters: [parameter] };
  });
  const parameters: Record<string, Value> = { ...given };
  for (const [name, values] of found) setField(parameters, name, values as Value);
  const withParameters = found.size === 0 ? {} : { parameters };
  return { root: { ...root, ...withParameters, files: read }, globs, isWhole };
}

type Refuse = (code: 'GLOB_REFUSED' | 'GLOB_UNMATCHED', message: string, at?: Path) => void;

const EXCLUDED = ['path', 'parameters', 'parameter_mode', 'use_parameters', 'parameters_file', 'use_parameters_file'];

/** The parameter that the pattern of a file gives its values. */
function parameterOf(file: ValueMap, refuse: Refuse, at: Path): string | undefined {
  const other = EXCLUDED.find((name) => Object.hasOwn(file, name));
  if (other !== undefined) {
    refuse('GLOB_REFUSED', `cannot stand beside \`${other}\`: it gives the path and the values`, [...at, other]);
    return undefined;
  }
  const name = typeof file['name'] === 'string' ? file['name'] : '';
  const parameters = new Set([...templateNames(name)].map((each) => each.name));
  const [parameter] = parameters;
  if (parameters.size === 1) return parameter;
  const found =
    parameters.size === 0 ? `'${name}' contains none` : `'${name}' contains ${[...parameters].join(' and ')}`;
  refuse('GLOB_REFUSED', `needs a name with one parameter, as in raw_{sample}; ${found}`, [...at, 'name']);
  return undefined;
}

/** What the pattern matches; undefined, reported, if nothing does or something cannot be a value. */
function matchOf(
  text: string,
  parameter: string,
  look: LookAtFiles | undefined,
  refuse: Refuse,
): GlobMatch | undefined {
  const glob = readGlob(text);
  if (typeof glob === 'string') refuse('GLOB_REFUSED', glob);
  else if (look === undefined) refuse('GLOB_REFUSED', 'is matched where the files are: use torc run or torc create');
  else {
    let values: string[];
    try {
      values = valuesOf(glob, look);
    } catch (cause) {
      refuse('GLOB_UNMATCHED', `matches nothing: ${(cause as Error).message}`);
      return undefined;
    }
    if (values.length === 0) refuse('GLOB_UNMATCHED', 'matches no file below the folder in which torc runs');
    const wrong = values.find((value) => faultOfValue(value) !== undefined);
    if (wrong !== undefined)
      refuse(
        'GLOB_REFUSED',
        `matches ${JSON.stringify(atStar(text, wrong))}, and ${JSON.stringify(wrong)} cannot be a value: it ${faultOfValue(wrong)}; rename the file`,
      );
    else if (values.length > 0) return { glob: text, parameter, values };
  }
  return undefined;
}

/** Two patterns for one parameter, as for the two files of a pair, must have the same values. */
function refuseOther(earlier: GlobMatch, match: GlobMatch, refuse: Refuse): void {
  const [first, second] = [new Set(earlier.values), new Set(match.values)];
  const missing = [
    ...earlier.values.filter((value) => !second.has(value)).map((value) => atStar(match.glob, value)),
    ...match.values.filter((value) => !first.has(value)).map((value) => atStar(earlier.glob, value)),
  ];
  if (missing.length === 0) return;
  const isOne = missing.length === 1;
  refuse(
    'GLOB_UNMATCHED',
    `gives '${match.parameter}' other values than glob '${earlier.glob}': ${someOf(missing)} ${isOne ? 'is' : 'are'} missing`,
  );
}
