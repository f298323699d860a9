import { jobStatuses } from '../../../core/job/job-statuses.ts';
import type { Command } from '../../command/command.ts';
import { flagsOf, longOf, type Option } from '../../command/option.ts';
import { shells } from '../../commands/completions/scripts.ts';

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly value: string;
  /** Shown beside it by shells that can; never part of what is inserted. */
  readonly says?: string | undefined;
}

/** Records whose ids and names the server knows. */
export type CompletedKind =
  | 'workflow'
  | 'job'
  | 'file'
  | 'user-data'
  | 'requirements'
  | 'slurm-scheduler'
  | 'failure-handler'
  | 'access-group';

/** What may stand at the cursor. */
export interface Wanted {
  readonly values: readonly Candidate[];
  /** Names of files: with one of these endings, or all of them where the list is empty. */
  readonly files?: readonly string[] | undefined;
  readonly folders?: boolean | undefined;
  readonly records?: CompletedKind | undefined;
  /** What the word at the cursor begins with before the value: `--format=`. */
  readonly before: string;
  /** The part of the value that is typed already. */
  readonly typed: string;
  /** Options before the cursor, by their long name without hyphens, with their value, or '' for those without. */
  readonly given: ReadonlyMap<string, string>;
}

const SPEC_FILES = ['yaml', 'yml', 'json', 'json5', 'kdl'];

type Kind = Pick<Wanted, 'files' | 'folders' | 'records'> & { readonly values?: readonly string[] };

/** What the name of an argument, or of the value of an option, stands for: `<folder>` in `-o, --output-dir <folder>`. */
const kinds: Readonly<Record<string, Kind>> = {
  workflow: { records: 'workflow' },
  job: { records: 'job' },
  'user-data': { records: 'user-data' },
  'resource-requirements': { records: 'requirements' },
  requirements: { records: 'requirements' },
  'slurm-scheduler': { records: 'slurm-scheduler' },
  scheduler: { records: 'slurm-scheduler' },
  'failure-handler': { records: 'failure-handler' },
  group: { records: 'access-group' },
  'access-group': { records: 'access-group' },
  'user-or-group': { records: 'access-group' },
  'spec-or-id': { files: SPEC_FILES, records: 'workflow' },
  file: { files: [] },
  path: { files: [] },
  pem: { files: ['pem', 'crt', 'cer'] },
  program: { files: [] },
  database: { files: ['db'] },
  folder: { folders: true },
  shell: { values: shells },
  status: { values: jobStatuses },
  statuses: { values: jobStatuses },
  'is-archived': { values: ['true', 'false'] },
};

/** The same for single commands and options, where the name alone does not say it. */
const kindsOfPlaces: Readonly<Record<string, Kind>> = {
  'create <file>': { files: SPEC_FILES },
  'jobs spawn <file>': { files: SPEC_FILES },
  'workflows import <file>': { files: ['json'] },
  'files get <file>': { records: 'file' },
  'files update <file>': { records: 'file' },
  'files delete <file>': { records: 'file' },
  'scheduled-compute-nodes list --status': {},
  '--depends-on-job-ids': { records: 'job' },
  '--blocking-job-ids': { records: 'job' },
  '--input-file-ids': { records: 'file' },
  '--output-file-ids': { records: 'file' },
  '--file-id': { records: 'file' },
  '--log-level': { values: ['debug', 'info', 'warn', 'error'] },
  '--format': { values: ['table', 'json', 'csv'] },
};

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
  if (waiting !== undefined) return { ...empty, ...ofValue(path, waiting) };
  if (isTrailing) return { ...empty, files: [] };
  if (current.startsWith('-')) {
    const [flag, value] = splitAt(current);
    if (value === undefined) return { ...empty, values: candidatesOf(optionsHere()) };
    const option = find(optionsHere(), flag);
    if (option === undefined || !takesValue(option)) return empty;
    return { ...empty, before: `${flag}=`, typed: value, ...ofValue(path, option) };
  }
  const steps = args.length === 0 ? nextSteps(commands, path) : [];
  const command = commandAt(commands, path);
  const argument = command === undefined ? undefined : argumentAt(command, args.length);
  if (command === undefined || argument === undefined) return { ...empty, values: steps };
  const found = kindsOfPlaces[`${path.join(' ')} <${argument}>`] ?? kinds[argument] ?? {};
  return { ...empty, ...found, values: [...steps, ...listed(found.values)] };
}

const listed = (values: readonly string[] = []): Candidate[] => values.map((value) => ({ value }));

function ofValue(path: readonly string[], option: Option): Pick<Wanted, 'values'> & Omit<Kind, 'values'> {
  if (option.choices !== undefined) return { values: listed(option.choices) };
  const long = longOf(option);
  const name = /<([\w-]+)/.exec(option.flags)?.[1] ?? '';
  const found = kindsOfPlaces[`${path.join(' ')} ${long}`] ?? kindsOfPlaces[long] ?? kinds[name] ?? {};
  return { ...found, values: listed(found.values) };
}

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
