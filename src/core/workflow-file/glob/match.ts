import type { LookAtFiles } from './look.ts';

/** A pattern of paths with one star, which stands for text within one part of the path. */
export interface Glob {
  /** The folder in which the names are looked up; empty for the current one. */
  readonly folder: string;
  /** What the names begin and end with. */
  readonly start: string;
  readonly end: string;
  /** The path below a name, with its slash; empty if the name is the file. */
  readonly rest: string;
}

/** What is wrong with a pattern, as the end of a sentence about it. */
export type GlobFault = string;

/** Reads a pattern; the fault if it is none that names the values of one parameter. */
export function readGlob(pattern: string): Glob | GlobFault {
  const parts = pattern.split('/');
  if (pattern.startsWith('/') || pattern.startsWith('~') || parts.includes('..'))
    return 'leads out of the folder in which torc runs; write a path below it, or link the folder with the files into it';
  const other = /[?[\]{}\\]/.exec(pattern)?.[0];
  if (other !== undefined) return `contains ${other}; only * stands for other characters, braces for a variable`;
  const stars = pattern.split('*').length - 1;
  if (stars === 0) return 'contains no *; a single file is written as path';
  if (stars > 1)
    return `is ambiguous: it contains * ${stars} times, and one parameter has the text of one *; write one *, or list the values in parameters`;
  const at = parts.findIndex((part) => part.includes('*'));
  const [start = '', end = ''] = (parts[at] as string).split('*');
  const rest = parts.slice(at + 1);
  return {
    folder: parts.slice(0, at).join('/'),
    start,
    end,
    rest: rest.length === 0 ? '' : `/${rest.join('/')}`,
  };
}

/** The texts for which the star stands, in the order of their characters. Hidden files need a pattern that begins with a dot. */
export function valuesOf({ folder, start, end, rest }: Glob, { listFolder, fileExists }: LookAtFiles): string[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  return listFolder(folder === '' ? '.' : folder)
    .filter(
      (name) =>
        name.length > start.length + end.length &&
        name.startsWith(start) &&
        name.endsWith(end) &&
        (!name.startsWith('.') || start.startsWith('.')) &&
        (rest === '' || fileExists(`${prefix}${name}${rest}`)),
    )
    .map((name) => name.slice(start.length, name.length - end.length))
    .sort();
}

/** Characters that may mean something to a shell, to lists of values or to patterns of names. */
const OTHER = /[^\p{L}\p{M}\p{N}_.+=@%:-]/u;

/** Why the text of a star cannot be the value of a parameter, which becomes part of commands; undefined if it can. */
export function faultOfValue(value: string): string | undefined {
  if (value.startsWith('-')) return 'begins with -, which a command reads as an option';
  if (value === '') return 'is empty';
  const wrong = OTHER.exec(value)?.[0];
  return wrong === undefined ? undefined : `contains ${WORDS[wrong] ?? JSON.stringify(wrong)}`;
}

const WORDS: Readonly<Record<string, string>> = { ' ': 'a space', '\t': 'a tab', '\n': 'a line break' };

/** The pattern with a text in place of its star. */
export const atStar = (pattern: string, text: string): string => pattern.replace('*', () => text);
