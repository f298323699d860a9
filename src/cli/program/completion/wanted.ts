import type { Command } from '../../command/command.ts';
import { kindNamed, type TypedKind } from '../../command/kinds.ts';
import { flagsOf, kindOfOption, longOf, type Option } from '../../command/option.ts';

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly value: string;
  /** Shown beside it by shells that can; never part of what is inserted. */
  readonly says?: string | undefined;
}

/** What may stand at the cursor. */
export interface Wanted extends Pick<TypedKind, 'files' | 'folders' | 'records'> {
  readonly values: readonly Candidate[];
  /** What the word at the cursor begins with before the value: `--format=`. */
  readonly before: string;
  /** The part of the value that is typed already. */
  readonly typed: string;
  /** Options before the cursor, by their long name without hyphens, with their value, or '' for those without. */
  readonly given: ReadonlyMap<string, string>;
}

/** What may stand in the place of the last of these words, which follow the name of the program. */
export function wantedIn(commands: readonly Command[], globals: readonly Option[], words: readonly string[]): Wanted {
  const current = words.at(-1) ?? '';
  const given = new Map<string, string>();
  const path: string[] = [];
  const args: string[] = [];
  let waiting: Option | undefined;
  let isTrailing = false;

  const optionsHere = () => [...optionsOf(commands, path), ...globals];
  const note = (option: Option, value: string) => given.set(longOf(option).slice(2), value);
  for (const word of words.slice(0, -1)) {
    if (isTrailing) args.push(word);
    else if (waiting !== undefined) {
      note(waiting, word);
      waiting = undefined;
    } else if (word === '--') isTrailing = true;
    else if (word.startsWith('-') && word !== '-') {
      const [flag, value] = splitAt(word);
      const option = find(optionsHere(), flag);
      if (option === undefined) continue;
      if (!takesValue(option)) note(option, '');
      else if (value === undefined) waiting = option;
      else note(option, value);
    } else if (args.length === 0 && isStep(commands, [...path, word])) path.push(word);
    else args.push(word);
  }

  const empty: Wanted = { values: [], before: '', typed: current, given };
  if (waiting !== undefined) return { ...empty, ...completedValue(waiting) };
  if (isTrailing) return { ...empty, files: [] };
  if (current.startsWith('-')) {
    const [flag, value] = splitAt(current);
    if (value === undefined) return { ...empty, values: candidatesOf(optionsHere()) };
    const option = find(optionsHere(), flag);
    if (option === undefined || !takesValue(option)) return empty;
    return { ...empty, before: `${flag}=`, typed: value, ...completedValue(option) };
  }
  const steps = args.length === 0 ? nextSteps(commands, path) : [];
  const command = commandAt(commands, path);
  const argument = command === undefined ? undefined : argumentAt(command, args.length);
  if (command === undefined || argument === undefined) return { ...empty, values: steps };
  return { ...empty, ...completed(kindNamed(command.kinds?.[argument] ?? argument), steps) };
}

/** What a shell completes of a kind, behind other candidates. */
const completed = (
  { values = [], files, folders, records }: TypedKind,
  before: readonly Candidate[] = [],
): Omit<Wanted, 'before' | 'typed' | 'given'> => ({
  values: [...before, ...values.map((value) => ({ value }))],
  ...(files === undefined ? {} : { files }),
  ...(folders === undefined ? {} : { folders }),
  ...(records === undefined ? {} : { records }),
});

const completedValue = (option: Option) =>
  completed(option.choices === undefined ? kindOfOption(option) : { values: option.choices });

const wordsOf = ({ words }: Command): string[] => words.replace(/\s*[<[].*$/, '').split(' ');

const isStep = (commands: readonly Command[], path: readonly string[]) =>
  commands.some((command) => path.every((word, at) => wordsOf(command)[at] === word));

const commandAt = (commands: readonly Command[], path: readonly string[]) =>
  commands.find((command) => wordsOf(command).length === path.length && isStep([command], path));

function nextSteps(commands: readonly Command[], path: readonly string[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const command of commands) {
    const own = wordsOf(command);
    const word = own[path.length];
    if (word === undefined || !isStep([command], path)) continue;
    found.set(word, own.length === path.length + 1 ? { value: word, says: command.says } : { value: word });
  }
  return [...found.values()];
}

/** The name of an argument: that of the last one when it may be repeated. */
function argumentAt({ words }: Command, at: number): string | undefined {
  const names = [...words.matchAll(/[<[]([\w-]+)(\.\.\.)?[>\]]/g)];
  const last = names.at(-1);
  return names[at]?.[1] ?? (last?.[2] === undefined ? undefined : last[1]);
}

const optionsOf = (commands: readonly Command[], path: readonly string[]): readonly Option[] =>
  commandAt(commands, path)?.options ?? [];

const takesValue = ({ flags }: Option): boolean => flags.includes('<');
const find = (options: readonly Option[], flag: string) => options.find((option) => flagsOf(option).includes(flag));

function candidatesOf(options: readonly Option[]): Candidate[] {
  const shown = options.filter(({ isHidden }) => isHidden !== true);
  const found = new Map<string, Candidate>();
  for (const option of shown) {
    const long = longOf(option);
    if (!found.has(long)) found.set(long, { value: long, says: option.says });
  }
  return [...found.values(), { value: '--help', says: 'show the help of the command' }];
}

/** `--format=json` as flag and value. */
function splitAt(word: string): [string, string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
