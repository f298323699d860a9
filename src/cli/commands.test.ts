import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf, groups } from './commands.ts';

const PROGRAMS = ['torc', 'torc-server', 'torc-htpasswd', 'torc-slurm-job-runner'];

it('every group of commands has a description, and no other group has', async () => {
  const tables = await Promise.all(PROGRAMS.map(commandsOf));
  const named = tables.flat().flatMap(({ words }) => {
    const [first = '', second = ''] = words.split(' ');
    return /^[a-z]/.test(second) ? [first] : [];
  });
  expect(new Set(named)).toEqual(new Set(Object.keys(groups)));
});

it('no command casts the values of its options or arguments: their types follow from its table', () => {
  const folder = join(import.meta.dirname, 'commands');
  const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(50);
  const cast = /\b(?:options|values|given|asked)(?:\.\w+|\['\w+'\])?\)* as (?!const\b)|\boptions\['/;
  const found = files.filter((file) => cast.test(readFileSync(join(folder, file), 'utf8')));
  expect(found).toEqual([]);
});

it('no command is written without its builder, which derives the types', () => {
  const folder = join(import.meta.dirname, 'commands');
  const found = globSync('**/*.ts', { cwd: folder }).filter((file) =>
    /: Command = \{|\): Command => \(\{/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
