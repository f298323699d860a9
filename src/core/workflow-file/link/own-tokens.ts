import { sequence } from '../../lists/sequence.ts';
import type { Axes, PlacedAxis } from '../expand/axes.ts';
import type { SpecFamily } from '../expand/family.ts';
import { isOutside, shiftedTemplate, shiftsOf } from '../expand/shift.ts';
import { partAt, type TextPart } from '../problems/text-part.ts';
import type { JobSpec, PathSpec } from '../shape/workflow.ts';
import type { Direction } from './tokens.ts';

/**
 * `${input.0}`, `${input.reads}` and `${output.bam}` in the command of a job with `inputs` or `outputs`: its own paths by position,
 * by name or by extension.
 *
 * They are replaced by the path as it is written there, before parameters are. In other jobs they are the shell's.
 */
export interface OwnToken {
  readonly direction: Direction;
  readonly word: string;
  readonly at: number;
  /** The whole token, with its position in the text. */
  readonly part: TextPart;
}

const TOKEN = /\$\{(input|output)\.((?:[^{}]|\{[^{}]*\})+)\}/g;

export const hasOwnPaths = ({ inputs, outputs }: JobSpec): boolean => inputs !== undefined || outputs !== undefined;

export function ownTokens(text: string | undefined, job: JobSpec): OwnToken[] {
  if (text === undefined || !hasOwnPaths(job)) return [];
  return [...text.matchAll(TOKEN)].map(({ 0: whole, 1: direction, 2: word = '', index }) => ({
    direction: direction === 'input' ? 'input' : 'output',
    word,
    at: index,
    part: partAt(text, index, whole),
  }));
}

/** The paths that a token may mean: exactly one where it is right. */
export function meantPaths({ direction, word }: OwnToken, { inputs = [], outputs = [] }: JobSpec): readonly PathSpec[] {
  const paths = direction === 'input' ? inputs : outputs;
  if (/^\d+$/.test(word)) return paths.slice(Number(word), Number(word) + 1);
  const named = paths.filter(({ name, path }) => name === word || path === word);
  return named.length > 0 ? named : paths.filter(({ path }) => path.endsWith(`.${word}`));
}

/** The template of a command, with the paths of its job in place of tokens; a token that means none, or several, stays. */
export function withOwnPaths(
  text: string,
  { spec, axes }: Pick<SpecFamily<JobSpec>, 'spec' | 'axes'>,
): { readonly text: string; readonly axes: Axes | undefined } {
  let result = '';
  let end = 0;
  const chained: PlacedAxis[] = [];
  for (const token of ownTokens(text, spec)) {
    const [meant, ...others] = meantPaths(token, spec);
    if (meant === undefined || others.length > 0) continue;
    const path = shiftsOf(meant.path, axes).length === 0 ? meant.path : `{\u0001${chained.length}}`;
    if (axes !== undefined && path !== meant.path)
      chained.push(pathAxis(path.slice(1, -1), ownPathOf(token, meant, axes), axes));
    result += text.slice(end, token.at) + path;
    end = token.at + token.part.text.length;
  }
  const all = axes === undefined || chained.length === 0 ? axes : { ...axes, axes: [...axes.axes, ...chained] };
  return { text: result + text.slice(end), axes: all };
}

/** What stands for a token in a combination of parameters: nothing in place of an input that is left out. */
export function ownPathOf(
  { direction }: OwnToken,
  { path }: PathSpec,
  axes: Axes | undefined,
): (combination: number) => string {
  const template = shiftedTemplate(path, axes);
  return (combination) =>
    direction === 'input' && isOutside(template, combination) ? '' : template.render(combination);
}

/** A path with shifted parameters as one value: in the command itself these would be the braces of a program. */
const pathAxis = (name: string, pathAt: (combination: number) => string, { count }: Axes): PlacedAxis => ({
  name,
  stride: 1,
  values: sequence(count, pathAt),
});
