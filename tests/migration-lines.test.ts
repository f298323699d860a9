import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

/** The first line of a migration decides whether older programs may open the database: only one form is read (CONTRIBUTING.md). */

const script = resolve(import.meta.dirname, '../scripts/gen-migrations.ts');

/** The oldest version whose programs may use the tables of these migrations, or why they are refused. */
function oldestBeside(...migrations: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'torc-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'migrations'));
  migrations.forEach((sql, at) => writeFileSync(join(folder, `migrations/000${at + 1}_trial.sql`), sql));
  try {
    execFileSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    return /Error: (.*)/.exec((error as { stderr: string }).stderr)?.[1] ?? '';
  }
  const made = readFileSync(join(folder, 'src/server/store/migrations.gen.ts'), 'utf8');
  return /oldestBeside = (\d+)/.exec(made)?.[1] ?? '';
}

const FIRST = '--! beside 0000: no, it is the first\ncreate table a (id integer);\n';
const then = (line: string, sql = 'alter table a add column more text;') => `${line}\n${sql}\n`;

it('programs of a version may use the tables up to the next migration that says no', () => {
  const yes = then('--! beside 0001: yes, a column that may be empty');
  const no = then('--! beside 0002: no, a column has another name', 'alter table a rename column more to less;');
  expect([oldestBeside(FIRST), oldestBeside(FIRST, yes), oldestBeside(FIRST, yes, no)]).toEqual(['1', '1', '3']);
});

it.each([
  '--! beside the first: no, a column is renamed',
  '--! beside 0001: not, for a column is renamed',
  '--! beside 0001: a column that may be empty',
  '--! beside 0001: yes',
  '--! beside 0001: yesterday, a column',
  '--! beside 0002: yes, a column that may be empty',
  '-- A column.',
])('a migration with the first line "%s" is refused, with the form that is read', (line) => {
  const refused = oldestBeside(FIRST, then(line));
  expect(refused).toContain('migrations/0002_trial.sql: the first line says');
  expect(refused).toContain('"--! beside 0001: yes, WHY" or');
});

it('a migration with a trigger or a view is refused if it says yes, and not if it says no', () => {
  const view = 'create view v as select id from a;';
  expect(oldestBeside(FIRST, then('--! beside 0001: yes, a view', view))).toContain('it makes a view or a trigger');
  expect(oldestBeside(FIRST, then('--! beside 0001: no, a view', view))).toBe('2');
});
