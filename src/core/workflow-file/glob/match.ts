import { type Glob, type GlobPart, globPath } from './glob.ts';
import type { LookAtFiles } from './look.ts';

/** A path that a pattern reads in two ways. */
export interface Ambiguous {
  readonly path: string;
  readonly parameter: string;
  /** Two values that the parameter may have there. */
  readonly values: readonly [string, string];
}

/**
 * The values of each file that matches, in the order of their characters; or a file that may have several.
 *
 * Hidden files need a name in the pattern that begins with a dot. Throws where the folder before the first parameter cannot be read.
 */
export function rowsOf(glob: Glob, look: LookAtFiles): string[][] | Ambiguous {
  const rows: string[][] = [];
  const ambiguous = walk(glob, 0, '', new Map(), look, (values) => {
    rows.push(glob.parameters.map((name) => values.get(name) as string));
  });
  return ambiguous ?? rows.sort(compareRows);
}

type Values = ReadonlyMap<string, string>;

/** Follows the parts from `at` below a folder; calls `found` for each file. */
function walk(
  glob: Glob,
  at: number,
  folder: string,
  values: Values,
  look: LookAtFiles,
  found: (values: Values) => void,
): Ambiguous | undefined {
  // A name that was listed is there: most files end here, and need nothing more.
  if (at === glob.parts.length) {
    found(values);
    return undefined;
  }
  const parts = glob.parts.slice(at).map((part) => bound(part, values));
  const next = parts.findIndex((part) => part.parameters.length > 0);
  const fixed = (next < 0 ? parts : parts.slice(0, next)).map(({ texts }) => texts[0]);
  const path = [folder, ...fixed].filter((name) => name !== '').join('/');
  const part = parts[next];
  if (part === undefined) {
    if (look.fileExists(path)) found(values);
    return undefined;
  }
  for (const name of namesIn(path, at === 0, look)) {
    if (name.startsWith('.') && part.texts[0]?.startsWith('.') !== true) continue;
    const [first, second] = readings(name, part);
    if (first === undefined) continue;
    const below = path === '' ? name : `${path}/${name}`;
    const both = values.size === 0 ? first : new Map([...values, ...first]);
    if (second !== undefined) {
      // Only a file that is there has values.
      const shown = globPath(glob, both);
      if (glob.parts.length > at + next + 1 && !shown.includes('{') && !look.fileExists(shown)) continue;
      const parameter = part.parameters.find((each) => first.get(each) !== second.get(each)) as string;
      return { path: below, parameter, values: [first.get(parameter) as string, second.get(parameter) as string] };
    }
    const ambiguous = walk(glob, at + next + 1, below, both, look, found);
    if (ambiguous !== undefined) return ambiguous;
  }
  return undefined;
}

/** A part in which parameters that have a value stand for it. */
function bound({ texts, parameters }: GlobPart, values: Values): GlobPart {
  const [first = '', ...others] = texts;
  const free: string[] = [];
  const between = [first];
  for (const [at, text] of others.entries()) {
    const parameter = parameters[at] as string;
    const value = values.get(parameter);
    if (value === undefined) {
      free.push(parameter);
      between.push(text);
    } else between.push(`${between.pop()}${value}${text}`);
  }
  return { texts: between, parameters: free };
}

/** The names in a folder; below the first one, what is no folder has none. */
function namesIn(path: string, isFirst: boolean, { listFolder }: LookAtFiles): readonly string[] {
  try {
    return listFolder(path === '' ? '.' : path);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (isFirst || (code !== 'ENOTDIR' && code !== 'ENOENT')) throw error;
    return [];
  }
}

/** The ways to read a name as a part of the pattern; two of them at most. */
function readings(name: string, { texts, parameters }: GlobPart): Values[] {
  const end = texts.at(-1) as string;
  if (!name.startsWith(texts[0] as string) || !name.endsWith(end)) return [];
  const last = name.length - end.length;
  const found: Values[] = [];
  const read = (at: number, from: number, values: Values): void => {
    const parameter = parameters[at] as string;
    const known = values.get(parameter);
    const take = (to: number) => {
      const value = name.slice(from, to);
      if (value === '' || to > last || (known !== undefined && known !== value)) return;
      const both = new Map([...values, [parameter, value]]);
      if (at === parameters.length - 1) found.push(both);
      else read(at + 1, to + (texts[at + 1] as string).length, both);
    };
    if (at === parameters.length - 1) return take(last);
    const text = texts[at + 1] as string;
    for (let to = name.indexOf(text, from + 1); to >= 0 && found.length < 2; to = name.indexOf(text, to + 1)) take(to);
  };
  read(0, (texts[0] as string).length, new Map());
  return found;
}

function compareRows(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] as string) < (other[at] as string) ? -1 : 1;
}

/** Characters that may mean something to a shell, to lists of values or to patterns of names. */
const OTHER = /[^\p{L}\p{M}\p{N}_.+=@%:-]/u;

/** Why a text cannot be the value of a parameter, which becomes part of commands; undefined if it can. */
export function faultOfValue(value: string): string | undefined {
  if (value.startsWith('-')) return 'begins with -, which a command reads as an option';
  if (value === '') return 'is empty';
  const wrong = OTHER.exec(value)?.[0];
  return wrong === undefined ? undefined : `contains ${WORDS[wrong] ?? JSON.stringify(wrong)}`;
}

const WORDS: Readonly<Record<string, string>> = { ' ': 'a space', '\t': 'a tab', '\n': 'a line break' };
