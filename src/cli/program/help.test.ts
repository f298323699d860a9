import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf } from './commands.ts';
import { exampleOf, headingOf, wordsWithHeading } from './help.ts';
import { meantBy } from './program.ts';

const PROGRAMS = ['torc', 'torc-server', 'torc-htpasswd', 'torc-slurm-job-runner', 'torc-mcp-server', 'torc-dash'];
const all = (
  await Promise.all(PROGRAMS.map(async (program) => ({ program, commands: await commandsOf(program) })))
).flatMap(({ program, commands }) =>
  commands.map((command) => ({ program, command, words: `${program} ${command.words}` })),
);

/** The words of a line as a shell passes them; a pattern stays as it is. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');

it.each(all)('the example of "$words" is valid, and of this command', async ({ program, command }) => {
  const [name, ...words] = wordsOf(exampleOf(program, command));
  expect(name).toBe(program);
  expect((await meantBy(program, words))?.words).toBe(command.words);
});

it.each(all)('no line of the help of "$words" that a terminal breaks ends within a sentence', ({ command }) => {
  const lines = (command.more ?? '').split('\n');
  expect(lines.filter((line) => line.length > 80 && !/[.:;]$/.test(line))).toEqual([]);
});

it('an example with an option that the command lacks is not valid', async () => {
  await expect(meantBy('torc', ['run', 'sweep.yaml', '--nonsense'])).rejects.toThrow('unknown option');
});

it('every command of torc has one heading in the help, and no heading names another', async () => {
  const first = new Set((await commandsOf('torc')).map(({ words }) => words.split(' ')[0] as string));
  expect([...first].filter((word) => headingOf(word) === undefined)).toEqual([]);
  expect(wordsWithHeading().filter((word) => word !== 'help' && !first.has(word))).toEqual([]);
  expect(new Set(wordsWithHeading()).size).toBe(wordsWithHeading().length);
});

/** The help as a terminal of this width shows it. */
function helpAt(columns: number, ...words: string[]): string[] {
  const torc = join(import.meta.dirname, '../../../bin/torc.mjs');
  const command = `stty cols ${columns}; exec '${process.execPath}' '${torc}' ${words.join(' ')} --help`;
  const shown = execFileSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return shown.replaceAll('\r', '').trimEnd().split('\n');
}

it.each([[], ['jobs'], ['run'], ['slurm', 'schedule-nodes']])(
  'help fits a terminal of 60 columns, and of 100, and ends with an example: torc %s %s',
  (...words) => {
    for (const columns of [60, 100]) {
      const lines = helpAt(columns, ...words);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(lines.at(-2)).toBe('Example:');
      expect(lines.at(-1)).toMatch(/^ {2}torc /);
    }
  },
);

it('help of torc lists the commands under headings, the first of which is to run workflows', () => {
  const headings = helpAt(100).filter((line) => /^[A-Z].*:$/.test(line));
  expect(headings).toEqual([
    'Options:',
    'Run workflows:',
    'Look at workflows:',
    'Change workflows:',
    'Clusters and machines:',
    'Server and administration:',
    'Example:',
  ]);
});
