import { statSync } from 'node:fs';
import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import type { Command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { maskedUrl } from '../../client/node/url-login.ts';
import { type Option, optionName, type Values, flagsOf, kindOfOption, longOf } from '../command/option.ts';
import { asksForHelp, commandsFor, groups, meantAmong } from './commands.ts';
import { exampleOf, fitted, headingOf, missingCommand } from './help.ts';
import type { Context, Printed } from '../command/context.ts';
import { createContext } from '../create-context.ts';
import { createOutput, type Output, type Streams } from '../output/output.ts';
import { connecting, givenOf, optionWords, withOptions } from './hint.ts';
import { builtIn, keyAt } from '../config/schema.ts';
import { fill } from './fill.ts';
import { configurationFor } from './for-program.ts';
import { reportError } from './report-error.ts';
import { sameLetter } from './short-options.ts';
import { globalsOf, LAZY, type Settings, settingsOf } from '../command/settings.ts';
import { versionText } from './version-text.ts';

/** Runs the command that the arguments name, and returns its exit code. */
export async function runProgram(
  program: string,
  argv: readonly string[],
  streams: Streams = { out: process.stdout, err: process.stderr },
  environment: Context['environment'] = process.env,
): Promise<number> {
  const colours = streams.err.isTTY === true && environment['NO_COLOR'] === undefined;
  const plain = createOutput('table', streams, colours);
  let exitCode = 0;
  let hint: Context['hint'] = (text) => text;

  const act = async (command: Command, args: readonly unknown[], given: Values, isGiven: (name: string) => boolean) => {
    const configuration =
      command.ignoresConfiguration === true ? builtIn : await configurationFor(program, environment, plain);
    const globals = globalsOf(program);
    const own = command.options ?? [];
    const lazy = new Set([...LAZY].filter((path) => own.every(({ setting }) => setting !== path)));
    const options = fill(given, isGiven, [...own, ...globals], configuration, lazy);
    // Two spellings of one option: the one that was given precedes a value of the configuration.
    const either = (own: string, usual: string) =>
      isGiven(usual) && !isGiven(own) ? options[usual] : (options[own] ?? options[usual]);
    // If the command defines --format itself, it also handles it.
    const format = command.options?.some((option) => optionName(option) === 'format') ? undefined : options['format'];
    const url = command.namesService === true ? args[0] : either('apiUrl', 'url');
    const settings = settingsOf({ ...options, format, url, db: either('database', 'db') }, environment, configuration);
    refuseMemory(command, settings);
    refuseFolder();
    if (globals.length > 0 && command.offline !== true) requireService(settings);
    const output = createOutput(settings.format, streams, colours, settings);
    if (command.offline === true && settings.standalone)
      output.warn('--standalone has no effect for this command; ignoring.');
    hint = hintsOf(program, command, { ...given, url: typeof url === 'string' ? maskedUrl(url) : url }, isGiven);
    const context = createContext({
      settings,
      configuration,
      output,
      environment,
      hint,
      torc: (words) => captured(words, environment),
      makesDatabase: options['dryRun'] !== true && makesDatabase(command, args),
    });
    try {
      await command.run(context, args as never, options);
      exitCode = context.exitCode;
    } finally {
      await context.close();
    }
  };

  try {
    await (await treeOf(program, argv, act)).parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    const missing = program === 'torc' && isUnknownCommand(error) ? missingCommand(argv) : undefined;
    if (missing !== undefined) plain.notice(missing);
    const exitCode = reportError(error, plain, hint);
    if (exitCode !== 0) await explainLetter(program, argv, plain);
    return exitCode;
  }
}

function makesDatabase({ makesDatabase: makes = false }: Command, [first]: readonly unknown[]): boolean {
  return typeof makes === 'boolean' ? makes : typeof first === 'string' && makes(first);
}

/** Says what a letter means that a command line that failed has after its command, if it means something else before it. */
async function explainLetter(program: string, argv: readonly string[], output: Output): Promise<void> {
  const loaded = (await commandsFor(program, argv)).filter((each) => typeof each !== 'string');
  const meant = meantAmong(loaded, argv);
  const [only, ...others] = meant;
  const found = only === undefined || others.length > 0 ? undefined : sameLetter(program, only, argv);
  if (found !== undefined) output.notice(found);
}

/** Runs a command of `torc` in this process, and keeps what it prints: a start of a process costs ten times as much. */
export async function captured(argv: readonly string[], environment: Context['environment']): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const streams = {
    out: { write: (text: string) => void (printed.stdout += text) },
    err: { write: (text: string) => void (printed.stderr += text) },
  };
  const exitCode = await runProgram('torc', argv, streams, environment);
  return { exitCode, ...printed };
}

/**
 * Refuses a database in memory where it would destroy data: it starts empty, and its copy replaces the content of
 * `--db`, so a command that should only read it would delete it.
 */
function refuseMemory({ inMemory = false }: Command, settings: Settings): void {
  if (settings.inMemory && !(inMemory && settings.standalone))
    throw new Failure('--in-memory is only supported with --standalone (-s), by the commands run and exec');
  if (settings.snapshotIntervalSeconds !== undefined && !settings.inMemory)
    throw new Failure('--snapshot-interval-seconds needs --in-memory: other databases are always on disk');
}

/** The runtime has another name for a folder whose path is not UTF-8: each file would be looked for elsewhere. */
function refuseFolder(): void {
  const folder = process.cwd();
  if (folder.includes('\ufffd') && statSync(folder, { throwIfNoEntry: false })?.ino !== statSync('.').ino)
    throw new Failure(
      `the path of the current folder is not UTF-8 (${folder}): rename that part of it, or work in another folder`,
    );
}

/** Ends a command before it does anything, where its file says which service is asked and its user does not trust that file. */
const requireService = (settings: Settings): unknown =>
  settings.standalone ? settings.trustsOwner : [settings.url, settings.tlsCaCert, settings.tlsInsecure];

/** How the command suggests others: see `Context`. */
function hintsOf(
  program: string,
  command: Command,
  values: Values,
  isGiven: (name: string) => boolean,
): Context['hint'] {
  const isSaid = (name: string) =>
    isGiven(name) || (name === 'url' && (command.namesService === true || isGiven('apiUrl')));
  const given = givenOf(connecting(globalsOf(program)), values, isSaid);
  return (text, repeated = []) =>
    [withOptions(text, given), optionWords(givenOf(repeated, values, isGiven))].filter((part) => part !== '').join(' ');
}

const isUnknownCommand = (error: unknown) =>
  error instanceof CommanderError && error.code === 'commander.unknownCommand';

/** The command that the arguments mean; throws where they are not valid. Nothing is run. */
export async function meantBy(program: string, argv: readonly string[]): Promise<Command | undefined> {
  let meant: Command | undefined;
  const act: Act = async (command) => void (meant = command);
  await (await treeOf(program, argv, act)).parseAsync([...argv], { from: 'user' });
  return meant;
}

type Act = (
  command: Command,
  args: readonly unknown[],
  options: Values,
  isGiven: (name: string) => boolean,
) => Promise<void>;

/** The commands of a program for commander; those that the arguments cannot mean by their name alone. */
async function treeOf(program: string, argv: readonly string[], act: Act): Promise<Commander> {
  const commands = await commandsFor(program, argv);
  const root = fitted(new Commander(program)).enablePositionalOptions().exitOverride().showHelpAfterError(false);
  root.version(versionText(program), '-V, --version', 'print the version');
  for (const option of globalsOf(program)) root.addOption(optionOf(option));
  refuseHelpForUnknown(root);
  const loaded = commands.filter((each) => typeof each !== 'string');
  const usual = loaded.find(({ words }) => words.startsWith('run ')) ?? loaded[0];
  if (usual !== undefined) addExample(root, program, usual);
  const meant = new Set(meantAmong(loaded, argv));
  for (const command of commands) {
    if (typeof command === 'string') addName(root, command);
    else add(root, program, command, meant.has(command) ? act : asksForHelp(argv) ? 'listed' : undefined);
  }
  if (program === 'torc') group(root);
  return root;
}

/** Gives the commands, and the one that commander adds, their headings in the help. */
function group(root: Commander): void {
  for (const each of root.commands) each.helpGroup(headingOf(each.name()) ?? 'Commands:');
  root.commandsGroup(headingOf('help') as string).helpCommand(true);
}

function addName(root: Commander, name: string): void {
  if (root.commands.every((each) => each.name() !== name)) root.addCommand(new Commander(name));
}

/**
 * Without `act` only its name and what it does, for suggestions; where it is listed in a help also its arguments, and that it has
 * options: all options of all commands take as long to add as everything else.
 */
function add(root: Commander, program: string, command: Command, act: Act | 'listed' | undefined): void {
  const globals = globalsOf(program);
  const [words, args] = split(command.words);
  let parent = root;
  for (const [at, word] of words.slice(0, -1).entries()) {
    const known = parent.commands.find((each) => each.name() === word);
    parent = known ?? groupOf(parent, words.slice(0, at + 1), program, command);
  }
  const own = fitted(new Commander(words.at(-1))).summary(command.says);
  if (act !== undefined && args !== '') own.arguments(args);
  if (act === undefined || act === 'listed') {
    if (act === 'listed') own.option('--any');
    parent.addCommand(own);
    return;
  }
  own.description([command.says, command.more].filter(Boolean).join('\n\n'));
  addExample(own, program, command);
  if (command.trailing === true) own.passThroughOptions();
  const taken = new Set<string>();
  for (const option of command.options ?? []) {
    own.addOption(optionOf(option));
    for (const flag of flagsOf(option)) taken.add(flag);
  }
  // Global options may follow the command, unless the command defines them itself.
  for (const option of globals) {
    const free = flagsOf(option).filter((flag) => !taken.has(flag));
    if (free.length === 0 || taken.has(longOf(option))) continue;
    const flags = option.flags.split(/,\s*/).filter((part) => free.includes(part.split(' ')[0] as string));
    own.addOption(optionOf({ ...option, flags: flags.join(', ') }).hideHelp());
  }
  own.exitOverride().action(async (...given: unknown[]) => {
    const isGiven = (name: string) => [root, own].some((each) => isSaid(each.getOptionValueSource(name)));
    await act(command, given.slice(0, -2), merged(root, own), isGiven);
  });
  parent.addCommand(own, { isDefault: command.isDefault === true });
}

function groupOf(parent: Commander, words: readonly string[], program: string, first: Command): Commander {
  const group = fitted(new Commander(words.at(-1)))
    .description(groups[words.join(' ')] ?? '')
    .enablePositionalOptions()
    .exitOverride();
  refuseHelpForUnknown(group);
  addExample(group, program, first);
  parent.addCommand(group);
  return group;
}

function addExample(to: Commander, program: string, command: Command): void {
  to.addHelpText('after', () => `\nExample:\n  ${exampleOf(program, command)}`);
}

/** Represents a JSON `null` in an option: commander turns null into empty text. */
const GIVEN_NULL = Symbol('null');
const readValue = (value: unknown): unknown => (value === null ? GIVEN_NULL : value);

/** `torc nosuch --help` is an error: commander would show the help of `torc`, and exit with 0. */
function refuseHelpForUnknown(group: Commander): void {
  group.addHelpText('beforeAll', ({ command }) => {
    const [word] = command.args;
    if (command === group && word !== undefined && !word.startsWith('-'))
      command.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
    return '';
  });
}

const isSaid = (source: string | undefined) => source !== undefined && source !== 'default';

/** Options after the command precede those before it, and both precede defaults. */
function merged(root: Commander, own: Commander): Values {
  const values: Record<string, unknown> = { ...root.opts() };
  for (const [name, value] of Object.entries(own.opts() as Record<string, unknown>)) {
    if (name in values && !isSaid(own.getOptionValueSource(name)) && isSaid(root.getOptionValueSource(name))) continue;
    values[name] = value === GIVEN_NULL ? null : value;
  }
  return values;
}

function optionOf(table: Option): CommanderOption {
  const { flags, says, default: own, setting, isHidden, required = false, many, choices } = table;
  const read = table.read ?? kindOfOption(table).read;
  const name = longOf(table);
  const option = new CommanderOption(flags, says).makeOptionMandatory(required);
  const initial = setting === undefined ? own : keyAt(setting).default;
  if (initial !== undefined && initial !== false && !Array.isArray(initial)) option.default(initial);
  if (isHidden === true) option.hideHelp();
  if (choices !== undefined) option.choices(choices);
  else if (many === true)
    option.argParser((text: string, before: unknown[] | undefined) => [
      ...(before ?? []),
      read === undefined ? text : read(text, name),
    ]);
  else if (read !== undefined) option.argParser((text: string) => readValue(read(text, name)));
  return option;
}

const split = (words: string): [string[], string] => {
  const match = /^([a-z][\w -]*?)(?:\s+([<[].*))?$/.exec(words);
  return [(match?.[1] ?? words).split(' '), match?.[2] ?? ''];
};
