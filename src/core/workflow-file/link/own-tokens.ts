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

/** A command with the paths of its job in place of tokens; a token that means none, or several, stays. */
export function withOwnPaths(text: string, job: JobSpec): string {
  let result = '';
  let end = 0;
  for (const token of ownTokens(text, job)) {
    const [meant, ...others] = meantPaths(token, job);
    if (meant === undefined || others.length > 0) continue;
    result += text.slice(end, token.at) + meant.path;
    end = token.at + token.part.text.length;
  }
  return result + text.slice(end);
}
