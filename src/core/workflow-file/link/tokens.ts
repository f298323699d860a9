import type { TextPart } from '../problems/text-part.ts';

/**
 * `${files.input.NAME}` and similar tokens in commands: they are replaced by a file's path or a record's data, and add
 * the dependency. Any other `${…}` belongs to the shell.
 *
 * A name may contain parameters, `${files.input.part_{i}}`; so a command is parsed before it is expanded, once for all
 * instances, and not searched a million times.
 */
export type TokenKind = 'files' | 'user_data';
export type Direction = 'input' | 'output';

export interface Token {
  readonly kind: TokenKind;
  readonly direction: Direction;
  /** The name as written, with its parameters. */
  readonly name: string;
  /** The whole token, with its position in the text. */
  readonly part: TextPart;
}

const TOKEN = /\$\{(files|user_data)\.(input|output)\.((?:[^{}]|\{[^{}]*\})+)\}/g;

/** A text as plain parts and tokens, alternating. */
export function tokenParts(text: string): (string | Token)[] {
  // Most commands have none.
  if (!text.includes('${files.') && !text.includes('${user_data.')) return [text];
  const parts: (string | Token)[] = [];
  let at = 0;
  const counts = new Map<string, number>();
  for (const match of text.matchAll(TOKEN)) {
    const [whole, kind, direction, name = ''] = match;
    const number = counts.get(whole) ?? 0;
    parts.push(text.slice(at, match.index));
    parts.push({
      kind: kind === 'files' ? 'files' : 'user_data',
      direction: direction === 'input' ? 'input' : 'output',
      name,
      part: { text: whole, number },
    });
    counts.set(whole, number + 1);
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}

export const tokensOf = (text: string | undefined): Token[] =>
  text === undefined ? [] : tokenParts(text).filter((part) => typeof part === 'object');
