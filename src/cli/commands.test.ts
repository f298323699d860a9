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
