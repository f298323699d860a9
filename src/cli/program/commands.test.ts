import { globSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';
import { dirname, join, normalize } from 'node:path';
import { commandsFor, commandsOf, groups, meantAmong } from './commands.ts';
import { torcGroups } from './torc.ts';

const PROGRAMS = ['torc', 'torc-server', 'torc-htpasswd', 'torc-slurm-job-runner', 'torc-mcp-server', 'torc-dash'];

it('every group of commands has a description, and no other group has', async () => {
  const tables = await Promise.all(PROGRAMS.map(commandsOf));
  const named = tables.flat().flatMap(({ words }) => {
    const said = words.split(' ').filter((word) => /^[a-z]/.test(word));
    return said.slice(0, -1).map((_, at) => said.slice(0, at + 1).join(' '));
  });
  expect(new Set(named)).toEqual(new Set(Object.keys(groups)));
});

it('no command casts the values of its options or arguments: their types follow from its table', () => {
  const folder = join(import.meta.dirname, '../commands');
  const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(50);
  const cast = /\b(?:options|values|given|asked)(?:\.\w+|\['\w+'\])?\)* as (?!const\b)|\boptions\['/;
  const found = files.filter((file) => cast.test(readFileSync(join(folder, file), 'utf8')));
  expect(found).toEqual([]);
});

it('no command is written without its builder, which derives the types', () => {
  const folder = join(import.meta.dirname, '../commands');
  const found = globSync('**/*.ts', { cwd: folder }).filter((file) =>
    /: Command = \{|\): Command => \(\{/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

it('every command of torc stands in the group of its first word, or of its first two', async () => {
  for (const { word, verb, load } of torcGroups) {
    for (const { words } of await load()) {
      expect(words.split(' ')[0]).toBe(word);
      if (verb !== undefined) expect(words.split(' ')[1]).toBe(verb);
    }
  }
  expect(new Set(torcGroups.map(({ word, verb }) => `${word} ${verb}`)).size).toBe(torcGroups.length);
});

it('a command line loads the commands of its words, and the others are known by name', async () => {
  const commands = await commandsFor('torc', ['-f', 'json', 'jobs', 'list', '1']);
  const loaded = commands.flatMap((each) => (typeof each === 'string' ? [] : [each.words.split(' ')[0]]));
  expect(new Set(loaded)).toEqual(new Set(['jobs']));
  expect(commands).toContain('workflows');
  expect(commands).not.toContain('jobs');
});

const SONAR = async () => (await commandsOf('torc')).filter(({ words }) => words.startsWith('sonar '));
const loadedOf = async (...argv: string[]) =>
  (await commandsFor('torc', argv)).filter((each) => typeof each !== 'string').map(({ words }) => words);

it('a command line of sonar loads the commands of its verb alone', async () => {
  expect(await loadedOf('sonar', 'sample', '--load')).toEqual(['sonar sample']);
  expect(await loadedOf('-f', 'json', 'sonar', 'clusters', 'list')).toEqual([
    'sonar clusters add <name>',
    'sonar clusters list',
  ]);
});

it.each([['sonar'], ['sonar', 'sampel'], ['sonar', '--help', 'sample'], ['sonar', 'help', 'sample']])(
  'a command line that may print the list of the verbs of sonar loads all of them: %s %s %s',
  async (...argv) => {
    expect(await loadedOf(...argv)).toEqual((await SONAR()).map(({ words }) => words));
  },
);

it('options are read for the commands whose words are all given, for all if there is none, and for none that a help only lists', async () => {
  const commands = await SONAR();
  const meant = (...argv: string[]) => meantAmong(commands, argv).map(({ words }) => words);
  expect(meant('sonar', 'clusters', 'list', '--store', 'list')).toEqual(['sonar clusters list']);
  // Either may be meant: nothing distinguishes an argument from the word of a command.
  expect(meant('sonar', 'show', 'jobs')).toEqual(['sonar jobs', 'sonar show jobs']);
  for (const argv of [['sonar'], ['sonar', 'show'], ['sonar', 'lst']])
    expect(meant(...argv)).toHaveLength(commands.length);
  expect([meant('sonar', 'sample', '-h'), meant('sonar', '--help')]).toEqual([['sonar sample'], []]);
});

it('options are read for the default command of a program, whatever words are given', async () => {
  const commands = await commandsOf('torc-server');
  const usual = commands.find(({ isDefault }) => isDefault === true);
  expect(usual).toBeDefined();
  const [other] = commands.filter((each) => each !== usual);
  expect(meantAmong(commands, other?.words.split(' ') ?? [])).toContain(usual);
});

it('a command line without a known word loads every command, so that help can list them', async () => {
  expect(await commandsFor('torc', ['--help'])).toEqual(await commandsOf('torc'));
});

/** Libraries that a module loads at once, by the imports of the sources: types and `import()` load nothing. */
function librariesOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return new Set();
  seen.add(path);
  const found = new Set<string>();
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )([^;]*?) from '([^']+)';/gms);
  for (const [, names = '', target = ''] of imports) {
    const isTypes = /^\{[^}]*\}$/.test(names) && names.split(',').every((each) => /^[\s{}]*(type |$)/.test(each));
    if (isTypes || target.startsWith('node:')) continue;
    if (!target.startsWith('.')) found.add(target);
    else for (const each of librariesOf(normalize(join(dirname(path), target)), seen)) found.add(each);
  }
  return found;
}

it.each([
  'jobs/all.ts',
  'workflows/all.ts',
  'run/run.ts',
  'results.ts',
  'status/status.ts',
  'cancel.ts',
  'sonar/sample.ts',
])('the table of commands in %s loads no library: what a command needs is loaded when it runs', (file) => {
  expect([...librariesOf(join(import.meta.dirname, '../commands', file))]).toEqual([]);
});

it('a program loads one library before it knows the command: the parser of options', () => {
  expect([...librariesOf(join(import.meta.dirname, 'program.ts'))]).toEqual(['commander']);
});
