import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { globalsOf } from '../../src/cli/command/settings.ts';
import { commandsOf } from '../../src/cli/program/commands.ts';
import type { Option } from '../../src/cli/command/option.ts';
import {
  type KnownCommand,
  type KnownOption,
  strayOptions,
  unknownOptions,
  wrongDefaults,
} from '../support/pages/options.ts';

/** What pages say of options, beside the table from which help and the programs are made. */

const root = resolve(import.meta.dirname, '../..');
const PROGRAMS = ['torc', 'torc-server', 'torc-slurm-job-runner', 'torc-htpasswd', 'torc-dash', 'torc-mcp-server'];
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const pages = ['README.md', ...pagesIn('docs')].map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }));
let commands: readonly KnownCommand[];

const known = ({ flags, says, default: value }: Option): KnownOption => ({
  names: flags.split(/,\s*|\s/).filter((part) => part.startsWith('-')),
  hasValue: /[<[]/.test(flags),
  says,
  default: value === undefined ? undefined : String(value),
});

beforeAll(async () => {
  const all = PROGRAMS.map(async (program) =>
    (await commandsOf(program)).map(({ words, options = [], isDefault, more = '' }) => ({
      words: [program, ...(isDefault === true ? [] : words.replace(/ ?[<[].*/, '').split(' '))].join(' ').trim(),
      options: [
        ...[...options, ...globalsOf(program)].map(known),
        { names: ['--help', '-h', '--version', '-V'], hasValue: false, says: '', default: undefined },
        // Those of the lines of a file of hosts stand in the help of the command that reads it.
        { names: more.match(/--[a-z-]+/g) ?? [], hasValue: false, says: '', default: undefined },
      ],
    })),
  );
  commands = (await Promise.all(all)).flat();
});

it('each option in a call that a page shows is one of that command', () => {
  expect(pages.flatMap((page) => unknownOptions(page, commands))).toEqual([]);
});

it('the default that a page states of an option is that of a command', () => {
  expect(wrongDefaults(pages, commands)).toEqual([]);
});

it('each option that a sentence names is one of a command of its page', () => {
  // Those that compare with another program, and the one about npm, name the options of others.
  const others = /docs\/(?:adr|reference)\/|\/coming-from-|\/install\.md/;
  const followed = pages.filter(({ page }) => !others.test(page));
  expect(followed.flatMap((page) => strayOptions(page, commands))).toEqual([]);
});

it('an option that a command does not have, a wrong default and a stray option are found in a page', () => {
  const text = [
    'Look again with `torc top --once`; every 2 s otherwise (`-n` changes that).',
    '',
    '```console',
    '$ torc -s -f json jobs list 1 --state failed | head -3',
    '$ torc run flow.yaml --num-cpus 8 -- --not-an-option',
    '```',
    '',
    'A server listens on port 80 (`--port`, default 81), and `--prot` is no option.',
  ].join('\n');
  const page = { page: 'planted.md', text };
  expect(unknownOptions(page, commands)).toEqual(['planted.md:4: torc jobs list has no option --state']);
  expect(wrongDefaults([page], commands)).toEqual([
    expect.stringContaining('planted.md:8: the default of --port is not 81'),
  ]);
  expect(strayOptions(page, commands)).toEqual([
    'planted.md:1: no command of this page has -n',
    'planted.md:8: no command has --prot',
  ]);
});
