import { shellWords } from '../../../src/core/text/shell-words.ts';

/** What pages say of options, and where it is not what the programs do. */

export interface KnownOption {
  /** `--limit`, and `-l` if it has a letter. */
  readonly names: readonly string[];
  readonly hasValue: boolean;
  /** As help says it, the default included. */
  readonly says: string;
  readonly default: string | undefined;
}

export interface KnownCommand {
  /** `torc jobs list`. */
  readonly words: string;
  readonly options: readonly KnownOption[];
}

export interface PageText {
  readonly page: string;
  readonly text: string;
}

interface Call {
  readonly line: number;
  readonly text: string;
}

/** The calls of the programs in a page: lines of its blocks, and code within its sentences. */
function callsIn(text: string): Call[] {
  const calls: Call[] = [];
  let fence: string | undefined;
  for (const [at, content] of text.split('\n').entries()) {
    const opening = /^\s*(`{3,})(\w*)/.exec(content);
    if (opening !== null) {
      fence = fence === undefined ? (opening[2] ?? '') : undefined;
      continue;
    }
    const line = at + 1;
    if (fence !== undefined) {
      const isShown = fence === 'console' ? content.startsWith('$ ') : /^(?:sh|bash)$/.test(fence);
      if (isShown) calls.push(...partsOf(content.replace(/^\$ /, '')).map((each) => ({ line, text: each })));
    } else
      for (const [, code = ''] of content.matchAll(/`([^`]+)`/g))
        calls.push(...partsOf(code).map((each) => ({ line, text: each })));
  }
  return calls.filter(({ text: call }) => /^torc(?:-[a-z-]+)?\s/.test(call));
}

/** The commands of a line of a shell, without redirections; `as ada torc …` and assignments before a command are passed over. */
const partsOf = (line: string): string[] =>
  line
    .split(/\s*(?:\|\|?|&&|;|&(?!\d))\s+/)
    .map((part) =>
      part
        .replace(/^(?:[A-Z_]+=(?:"[^"]*"|\S*)\s+|as \w+ |npx |\(|timeout \d+ |nohup |exec )+/, '')
        .replace(/\s+(?:\d?>>?|<).*$/, ''),
    );

/** Options in the calls of a page that the command does not have, as `docs/page.md:12: torc top has no option -n`. */
export function unknownOptions({ page, text }: PageText, commands: readonly KnownCommand[]): string[] {
  return callsIn(text).flatMap(({ line, text: call }) => {
    const words = (shellWords(call.replaceAll('…', ' ')) ?? []).filter((word) => word !== '');
    const found = commandOf(words, commands);
    if (found === undefined) return [];
    const unknown: string[] = [];
    for (let at = 1; at < words.length; at += 1) {
      const word = words[at] as string;
      if (word === '--') break;
      const name = /^(--[\w-]+|-[A-Za-z])/.exec(word)?.[1];
      if (name === undefined) continue;
      const option = found.options.find(({ names }) => names.includes(name));
      if (option === undefined) unknown.push(name);
      // Its value may look like an option, and so may what a command runs.
      else if (option.hasValue && word === name) at += 1;
    }
    return unknown.map((name) => `${page}:${line}: ${found.words} has no option ${name}`);
  });
}

/** The command with the most words among those of a call, options between them passed over. */
function commandOf(words: readonly string[], commands: readonly KnownCommand[]): KnownCommand | undefined {
  const named = words.filter((word) => !word.startsWith('-'));
  const isCalled = (command: KnownCommand) =>
    command.words.split(' ').every((word, at) => named[at] === word) ||
    // `torc -f json jobs list`: a value of a global option stands before them.
    (words[1]?.startsWith('-') === true &&
      command.words.split(' ').every((word, at) => (at === 0 ? named[0] : named[at + 1]) === word));
  return commands.filter(isCalled).toSorted((one, other) => other.words.length - one.words.length)[0];
}

/** `--interval` in ``(`--interval`, default 30)``, ``the default of `--interval` is 30`` and the like. */
const DEFAULT = [
  /`(--[\w-]+)[^`]*`[^`.;|]{0,30}?\bdefault:? `?(?:is )?([\w./]+)/g,
  /\bdefault of `(--[\w-]+)[^`]*` is `?([\w./]+)/g,
];

/** Defaults in pages that differ from those of each command with the option, or from what another page says. */
export function wrongDefaults(pages: readonly PageText[], commands: readonly KnownCommand[]): string[] {
  return pages.flatMap(({ page, text }) =>
    text.split('\n').flatMap((content, at) =>
      DEFAULT.flatMap((pattern) => [...content.matchAll(pattern)]).flatMap(([, name = '', given = '']) => {
        const said = given.replace(/\.$/, '');
        const options = commands.flatMap(({ options: all }) => all.filter(({ names }) => names.includes(name)));
        if (options.length === 0 || options.some((option) => hasDefault(option, said))) return [];
        const known = [...new Set(options.map((option) => option.default ?? option.says))].join(' / ');
        return [`${page}:${at + 1}: the default of ${name} is not ${said}, but: ${known}`];
      }),
    ),
  );
}

const hasDefault = ({ default: value, says }: KnownOption, said: string): boolean =>
  value === said || new RegExp(String.raw`\bdefaults?\b[^;)]*\b${said.replaceAll(/\W/g, String.raw`\$&`)}`).test(says);

/** Programs whose options pages name as well. */
const OTHERS =
  /\b(?:sbatch|srun|scancel|sacct|squeue|salloc|Slurm|npm|npx|node|snakemake|Snakemake|make|parallel|bash|sh|docker|podman|apptainer|curl|git|ssh|systemctl|journalctl|mpirun|python3?|uv|pip|tar|tsc|cwltool|xargs|sort|vitest|SBATCH|Nextflow|nextflow)\b/;

/**
 * Options that a sentence names without a command: a letter that no command of the page has, as `-n` beside `torc top`, and a word
 * that no command has at all. A paragraph that speaks of another program is passed over, and so are tables that compare with one.
 */
export function strayOptions({ page, text }: PageText, commands: readonly KnownCommand[]): string[] {
  const called = callsIn(text).flatMap(
    ({ text: call }) => commandOf((shellWords(call.replaceAll('…', ' ')) ?? []).filter(Boolean), commands) ?? [],
  );
  const namesOf = (some: readonly KnownCommand[]) =>
    new Set(some.flatMap(({ options }) => options.flatMap((option) => option.names)));
  const [letters, words] = [namesOf(called), namesOf(commands)];
  if (called.length === 0) return [];
  let at = 1;
  return text.split(/\n(?=\n)/).flatMap((paragraph) => {
    const line = at + paragraph.search(/\S/);
    at += paragraph.split('\n').length;
    if (OTHERS.test(paragraph) || /^\s*(?:```|\|)/.test(paragraph)) return [];
    return [...paragraph.matchAll(/`(--?[a-zA-Z][\w-]*)[^`]*`/g)].flatMap(([, name = '']) =>
      (name.startsWith('--') ? words : letters).has(name)
        ? []
        : [`${page}:${line}: no command ${name.startsWith('--') ? '' : 'of this page '}has ${name}`],
    );
  });
}
