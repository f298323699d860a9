/**
 * A pattern of paths: `raw/*.fastq`, in which one star stands for the value of the one parameter of its file, or
 * `raw/{sample}_{lane}.fastq`, in which each parameter stands for its own value. Both stand for text within one name.
 */
export interface Glob {
  readonly parts: readonly GlobPart[];
  /** In the order in which they stand. */
  readonly parameters: readonly string[];
  /** The path of a file, with names in braces for its values. */
  readonly template: string;
}

/** One name of a path: texts with a parameter between each and the next. */
export interface GlobPart {
  readonly texts: readonly string[];
  readonly parameters: readonly string[];
}

/** What is wrong with a pattern, as the end of a sentence about it. */
export type GlobFault = string;

/** Whether a pattern names its parts. */
export const namesItsParts = (pattern: string): boolean => pattern.includes('{');

/** Reads a pattern; `parameter` is what a star stands for. The fault, if it is none that says which values a file gives. */
export function readGlob(pattern: string, parameter: string): Glob | GlobFault {
  const names = pattern.split('/');
  if (pattern.startsWith('/') || pattern.startsWith('~') || names.includes('..'))
    return 'leads out of the folder in which torc runs; write a path below it, or link the folder with the files into it';
  const stars = pattern.split('*').length - 1;
  const tokens = [...pattern.matchAll(TOKEN)].map(([, name = '']) => name);
  const other = /[?[\]{}\\]/.exec(pattern.replaceAll(TOKEN, ''))?.[0];
  if (other !== undefined) return `contains ${other}; only * and names in braces stand for other characters`;
  const odd = tokens.find((token) => !/^[A-Za-z_]\w*$/.test(token));
  if (odd !== undefined) return `contains {${odd}}; what stands for text is a name, as in {sample}`;
  if (stars > 0 && tokens.length > 0)
    return 'contains * beside names in braces; write a name for each, as in {sample}_{lane}';
  if (stars === 0 && tokens.length === 0)
    return 'contains no * and no name in braces; a single file is written as path';
  if (stars > 1)
    return `is ambiguous: it contains * ${stars} times, and one parameter has the text of one *; write a name for each, as in {sample}_{lane}`;
  const template = atStar(pattern, parameter);
  const [, first, second] = /\{([^{}]*)\}\{([^{}]*)\}/.exec(template) ?? [];
  if (first !== undefined) return `is ambiguous: nothing separates {${first}} from {${second}}`;
  const parts = template.split('/').map(partOf);
  return { parts, parameters: [...new Set(parts.flatMap((part) => part.parameters))], template };
}

/** The pattern with a parameter in place of its star. */
export const atStar = (pattern: string, parameter: string): string => pattern.replace('*', () => `{${parameter}}`);

const TOKEN = /\{([^{}]*)\}/g;

function partOf(text: string): GlobPart {
  // Split by what is captured: texts and parameters alternate.
  const pieces = text.split(TOKEN);
  return { texts: pieces.filter((_, at) => at % 2 === 0), parameters: pieces.filter((_, at) => at % 2 === 1) };
}

/** The path of the file with these values. */
export const globPath = ({ template }: Pick<Glob, 'template'>, values: ReadonlyMap<string, string>): string =>
  template.replaceAll(TOKEN, (token, name: string) => values.get(name) ?? token);
