import { expect, it } from 'vitest';
import type { Command } from '../../command/command.ts';
import type { Option } from '../../command/option.ts';
import { wantedIn } from './wanted.ts';

const run = () => Promise.resolve();
const commands: readonly Command[] = [
  { words: 'run <spec-or-id>', says: 'Run.', options: [{ flags: '-o, --output-dir <folder>', says: 'folder' }], run },
  { words: 'create <file>', says: 'Create.', kinds: { file: 'workflow file' }, run },
  {
    words: 'jobs list [workflow]',
    says: 'List.',
    options: [
      { flags: '-s, --status <status>', says: 'status' },
      { flags: '--all', says: 'all' },
      { flags: '--secret', says: 'hidden', isHidden: true },
    ],
    run,
  },
  {
    words: 'jobs explain <job>',
    says: 'Explain.',
    options: [
      { flags: '-w, --workflow-id <workflow>', says: 'of' },
      { flags: '--depends-on-job-ids <id-or-name...>', says: 'others', kind: 'job' },
    ],
    run,
  },
  { words: 'delete <workflow...>', says: 'Delete.', run },
  {
    words: 'exec [command...]',
    says: 'Exec.',
    options: [{ flags: '--link <mode>', says: 'l', choices: ['a', 'b'] }],
    run,
  },
];
const globals: readonly Option[] = [
  { flags: '-s, --standalone', says: 'standalone' },
  { flags: '--db <path>', says: 'database' },
];
const wanted = (...words: string[]) => wantedIn(commands, globals, words);
const values = (...words: string[]) => wanted(...words).values.map(({ value }) => value);

it('the first word is a command or a group, each once', () => {
  expect(values('')).toEqual(['run', 'create', 'jobs', 'delete', 'exec']);
  expect(values('jobs', '')).toEqual(['list', 'explain']);
});

it('options are those of the command and of all commands, hidden ones apart', () => {
  expect(values('jobs', 'list', '-')).toEqual(['--status', '--all', '--standalone', '--db', '--help']);
});

it('the value of an option is what its name says, behind a blank and behind =', () => {
  expect(wanted('run', '-o', '')).toMatchObject({ folders: true });
  expect(wanted('run', '--output-dir=x')).toMatchObject({ folders: true, before: '--output-dir=', typed: 'x' });
  expect(values('exec', '--link', '')).toEqual(['a', 'b']);
  expect(values('jobs', 'list', '-s', '')).toContain('failed');
  expect(wanted('--db', '')).toMatchObject({ files: [] });
});

it('an option without a value is not followed by one', () => {
  expect(wanted('jobs', 'list', '--all', '')).toMatchObject({ records: 'workflow' });
  expect(values('jobs', 'list', '--all=')).toEqual([]);
});

it('an argument is what its name says; one that is repeated is so each time, and others only once', () => {
  expect(wanted('run', '')).toMatchObject({
    records: 'workflow',
    files: expect.arrayContaining(['yaml']),
  });
  expect(wanted('delete', '1', '2', '')).toMatchObject({ records: 'workflow' });
  expect(wanted('jobs', 'list', '1', '').records).toBeUndefined();
});

it('where the name does not say it, the table of the command does', () => {
  expect(wanted('create', '').files).toContain('kdl');
  expect(wanted('jobs', 'explain', '--depends-on-job-ids', '')).toMatchObject({ records: 'job' });
});

it('options before the cursor are known by their value: of the command, of all commands, and the last of several', () => {
  const { given, records } = wanted('-s', '--db', 'x.db', 'jobs', 'explain', '-w', '3', '--workflow-id=4', '');
  expect(records).toBe('job');
  expect([...given]).toEqual([
    ['standalone', ''],
    ['db', 'x.db'],
    ['workflow-id', '4'],
  ]);
});

it('behind -- any file may stand, and nothing that looks like an option is one', () => {
  expect(wanted('exec', '--', 'cat', '--li')).toMatchObject({ files: [], values: [] });
});

it('words that make no sense bring nothing', () => {
  for (const words of [['nosuch', ''], ['jobs', 'nosuch', ''], ['--nosuch=']]) expect(values(...words)).toEqual([]);
  expect(values()).not.toEqual([]);
});
