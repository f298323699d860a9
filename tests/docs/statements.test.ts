import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The registers of statements (`tests/statements`) and the page about trust name a test for each, and that test is there. */

const root = resolve(import.meta.dirname, '../..');
const pages = [
  'tests/statements/runner.md',
  'tests/statements/recovery.md',
  'docs/explanation/what-torc-trusts.md',
  'docs/reference/remote-hosts.md',
];
const page = pages.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:-+|statement) +\|/.test(line))
  .map(
    (line) =>
      line
        .slice(2, -2)
        .split(/ +\| +/)
        .map((cell) => cell.trim()) as [string, string],
  );

const later = 'Slurm: later';
const oneTest = /^`((?:src|tests)\/[\w/-]+(?:\.test)?\.ts)`: (.+)$/;

describe('every statement about runners', () => {
  it('every statement about runners has one test in its row, or is marked for later', () => {
    expect(rows.length).toBeGreaterThan(60);
    const wrong = rows.filter((row) => row.length !== 2 || !(row[1] === later || oneTest.test(row[1])));
    expect(wrong).toEqual([]);
  });

  const named = rows.flatMap(([statement, cell]) => {
    const match = oneTest.exec(cell);
    return match === null ? [] : [[statement, match[1] as string, match[2] as string] as const];
  });

  it.each(named)('%s: %s says "%s"', (_, file, title) => {
    const path = join(root, file);
    expect(existsSync(path), `${file} is not there`).toBe(true);
    const titles = [...readFileSync(path, 'utf8').matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map(
      (each) => each[2],
    );
    expect(titles.some((each) => each?.includes(title))).toBe(true);
  });
});
