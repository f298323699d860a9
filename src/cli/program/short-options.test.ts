import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsOf } from './commands.ts';
import { said } from '../../../tests/support/words.ts';
import { sameLetter, shortOptionsOf } from './short-options.ts';

/** The options of Torc 1.0.0: see `torc-options.test.ts`. */
const table = readFileSync(join(import.meta.dirname, '../../../tests/support/original/options.txt'), 'utf8');

/** Options that have another name than in Torc, whose name is accepted too. */
const RENAMED: Readonly<Record<string, string>> = { '--depends-on-job-ids': '--blocking-job-ids' };

/** What Torc's letters mean in any of the commands of a program: `-n` is `--name`. */
function lettersOfTorc(program: string): Map<string, Set<string>> {
  const meanings = new Map<string, Set<string>>();
  for (const line of table.trimEnd().split('\n')) {
    const at = line.indexOf(':');
    if (line.slice(0, at).split(' ')[0] !== program) continue;
    for (const option of line.slice(at + 1).split(', ')) {
      const names = (option.split('=')[0] ?? '').trim().split(' ');
      const letter = names.find((name) => /^-\w$/.test(name));
      if (letter === undefined) continue;
      const known = meanings.get(letter) ?? new Set();
      for (const name of names) if (name.startsWith('--')) known.add(name);
      meanings.set(letter, known);
    }
  }
  return meanings;
}

it.each(['torc', 'torc-server', 'torc-htpasswd'])(
  'a letter of %s has a meaning that Torc gives it, or one meaning where Torc does not have it',
  async (program) => {
    const ofTorc = lettersOfTorc(program);
    expect(ofTorc.size).toBeGreaterThan(2);
    const short = await shortOptionsOf(program);
    const strange = short.filter(
      ({ letter, long }) => ofTorc.has(letter) && !ofTorc.get(letter)?.has(RENAMED[long] ?? long),
    );
    expect(strange).toEqual([]);
    const own = short.filter(({ letter }) => !ofTorc.has(letter));
    const several = [...Map.groupBy(own, ({ letter }) => letter).values()].filter(({ length }) => length > 1);
    expect(several).toEqual([]);
  },
);

it('a command that fails with such a letter says what it is there, and one that succeeds does not', async () => {
  const of = async (...words: string[]) => (await said(words, { TORC_API_URL: 'http://127.0.0.1:9' })).stderr;
  expect(await of('jobs', 'list', '1', '-s')).toContain('After torc jobs list, -s is --status <status>');
  expect(await of('jobs', 'list', '1', '-s', 'failed')).toContain('After torc jobs list, -s is --status <status>');
  expect(await of('jobs', 'list', '1')).not.toContain('After torc jobs list');
  expect(await of('jobs', 'list', '-s', 'failed', '--help')).toBe('');
});

it('no two options of a command have the same letter', async () => {
  for (const { letter, commands } of await shortOptionsOf('torc')) {
    expect([letter, new Set(commands).size]).toEqual([letter, commands.length]);
  }
  for (const { words, options = [] } of await commandsOf('torc')) {
    const letters = options.flatMap(({ flags }) => /^-\w(?=,)/.exec(flags)?.[0] ?? []);
    expect([words, new Set(letters).size]).toEqual([words, letters.length]);
  }
});

it('a letter after a command that means something else before it is explained, and no other letter', async () => {
  const command = async (words: string) =>
    (await commandsOf('torc')).find((each) => each.words.startsWith(words)) as Awaited<
      ReturnType<typeof commandsOf>
    >[number];
  const list = await command('jobs list');
  expect(sameLetter('torc', list, ['jobs', 'list', '1', '-s'])).toBe(
    'After torc jobs list, -s is --status <status>: only jobs with this status. For --standalone write it before the command: torc -s jobs list',
  );
  expect(sameLetter('torc', list, ['-s', 'jobs', 'list', '1'])).toBeUndefined();
  expect(sameLetter('torc', list, ['jobs', 'list', '1', '--status', 'failed'])).toBeUndefined();
  expect(sameLetter('torc', await command('jobs explain'), ['jobs', 'explain', '1', '-s'])).toBeUndefined();
  expect(sameLetter('torc', await command('compute-nodes list'), ['compute-nodes', 'list', '-s'])).toContain(
    '--sort-by',
  );
});
