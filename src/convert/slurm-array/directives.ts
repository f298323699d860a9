import { shellWords } from '../../core/text/shell-words.ts';

/** An option of a line `#SBATCH`, under its long name. */
export interface Directive {
  readonly name: string;
  /** Undefined for an option without a value. */
  readonly value: string | undefined;
  readonly line: number;
}

export interface Script {
  /** The program of `#!`, with its arguments. */
  readonly interpreter: string;
  readonly directives: readonly Directive[];
  /** Lines `#SBATCH` behind the first command, which sbatch does not read. */
  readonly unread: readonly number[];
  /** The lines of the program, without those of comments. */
  readonly body: readonly { readonly text: string; readonly line: number }[];
}

/** Short options of sbatch(1) by their letter. */
const LONG: Readonly<Record<string, string>> = {
  A: 'account',
  a: 'array',
  b: 'begin',
  B: 'extra-node-info',
  C: 'constraint',
  c: 'cpus-per-task',
  D: 'chdir',
  d: 'dependency',
  e: 'error',
  F: 'nodefile',
  G: 'gpus',
  H: 'hold',
  i: 'input',
  J: 'job-name',
  k: 'no-kill',
  L: 'licenses',
  M: 'clusters',
  m: 'distribution',
  N: 'nodes',
  n: 'ntasks',
  O: 'overcommit',
  o: 'output',
  p: 'partition',
  q: 'qos',
  Q: 'quiet',
  S: 'core-spec',
  s: 'oversubscribe',
  t: 'time',
  v: 'verbose',
  w: 'nodelist',
  W: 'wait',
  x: 'exclude',
};

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Options that never have a value in the next word. */
const FLAGS = wordSet(`
  contiguous exclusive hold ignore-pbs no-kill no-requeue overcommit oversubscribe parsable quiet
  reboot requeue spread-job test-only use-min-nodes verbose wait
`);

/**
 * The parts of a batch script that sbatch(1) reads: `#!`, and the lines `#SBATCH` before the first command.
 *
 * Several options may stand in one line; a `#` that begins a word ends it.
 */
export function readScript(text: string): Script | undefined {
  const lines = text.split(/\r?\n/);
  const interpreter = /^#!\s*(\S.*?)\s*$/.exec(lines[0] ?? '')?.[1];
  if (interpreter === undefined) return undefined;
  const directives: Directive[] = [];
  const unread: number[] = [];
  const body: { text: string; line: number }[] = [];
  for (const [at, content] of lines.entries()) {
    const line = at + 1;
    const option = /^#SBATCH\s+(.*)$/.exec(content)?.[1];
    if (option !== undefined && body.length > 0) unread.push(line);
    else if (option !== undefined) for (const each of directivesIn(option, line)) directives.push(each);
    else if (!/^\s*(?:#|$)/.test(content)) body.push({ text: content, line });
  }
  return { interpreter, directives, unread, body };
}

/** The last of each name, as sbatch reads them. */
export const directivesByName = (directives: readonly Directive[]): ReadonlyMap<string, Directive> =>
  new Map(directives.map((each) => [each.name, each]));

const directivesIn = (text: string, line: number): readonly Directive[] =>
  readOptions(shellWords(text.replace(/(?:^|\s)#.*$/, '')) ?? text.split(/\s+/), line).directives;

/** The options of sbatch among words, and what is left from the first other word on where a script is to follow. */
export function readOptions(
  words: readonly string[],
  line: number,
  endsAtWord = false,
): { readonly directives: readonly Directive[]; readonly rest: readonly string[] } {
  const found: Directive[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (endsAtWord && !word.startsWith('-')) return { directives: found, rest: words.slice(at) };
    const long = /^--([\w-]+)(?:=(.*))?$/s.exec(word);
    const short = /^-([A-Za-z])=?(.*)$/s.exec(word);
    const name = long?.[1] ?? LONG[short?.[1] ?? ''] ?? word;
    let value = long === null ? short?.[2] || undefined : long[2];
    const next = words[at + 1];
    if (value === undefined && !FLAGS.has(name) && next !== undefined && !next.startsWith('-')) {
      value = next;
      at += 1;
    }
    found.push({ name, value, line });
  }
  return { directives: found, rest: [] };
}
