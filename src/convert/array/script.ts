import { shellWords } from '../../core/text/shell-words.ts';

/** An option in a batch script, under its long name. */
export interface Directive {
  readonly name: string;
  /** Undefined for an option without a value. */
  readonly value: string | undefined;
  readonly line: number;
}

export interface Script {
  /** The program of `#!`, with its arguments; undefined where there is none. */
  readonly interpreter: string | undefined;
  readonly directives: readonly Directive[];
  /** Lines of options behind the first command, which are not read. */
  readonly unread: readonly number[];
  /** The lines of the program, without those of comments. */
  readonly body: readonly { readonly text: string; readonly line: number }[];
}

/** The options among words, and what is left from the first other word on where a script is to follow. */
export type ReadSubmitOptions = (
  words: readonly string[],
  line: number,
  endsAtWord?: boolean,
) => { readonly directives: readonly Directive[]; readonly rest: readonly string[] };

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * The parts of a batch script that its batch system reads: `#!`, and the lines that begin with the marker before the first command.
 *
 * Several options may stand in one line; a `#` that begins a word ends it.
 */
export function readBatchScript(text: string, marker: string, readOptions: ReadSubmitOptions): Script {
  const lines = text.split(/\r?\n/);
  const interpreter = /^#!\s*(\S.*?)\s*$/.exec(lines[0] ?? '')?.[1];
  const directives: Directive[] = [];
  const unread: number[] = [];
  const body: { text: string; line: number }[] = [];
  for (const [at, content] of lines.entries()) {
    const line = at + 1;
    const option = content.startsWith(marker) ? /^\s+(.*)$/.exec(content.slice(marker.length))?.[1] : undefined;
    if (option !== undefined && body.length > 0) unread.push(line);
    else if (option !== undefined) {
      const words = shellWords(option.replace(/(?:^|\s)#.*$/, '')) ?? option.split(/\s+/);
      for (const each of readOptions(words, line).directives) directives.push(each);
    } else if (!/^\s*(?:#|$)/.test(content)) body.push({ text: content, line });
  }
  return { interpreter, directives, unread, body };
}

/** The last of each name, as batch systems read them. */
export const directivesByName = (directives: readonly Directive[]): ReadonlyMap<string, Directive> =>
  new Map(directives.map((each) => [each.name, each]));
