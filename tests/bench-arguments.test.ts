import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { readArguments, usageOf } from '../bench/support/arguments.ts';

const folder = resolve(import.meta.dirname, '../bench');

describe('the arguments of a measurement', () => {
  const usual = { jobs: 100, rounds: 3 };

  it('an argument that is not given has its usual value', () => {
    expect(readArguments(usual, ['20'], false)).toEqual({ jobs: 20, rounds: 3, words: [] });
  });

  it('words after the numbers are taken where the measurement has words, and refused elsewhere', () => {
    expect(readArguments(usual, ['20', '1', 'chain'], true)).toMatchObject({ words: ['chain'] });
    expect(readArguments(usual, ['20', '1', 'chain'], false)).toBe('unknown argument chain');
  });

  test.each([
    ['--jobs', 'unknown argument --jobs'],
    ['-1', 'unknown argument -1'],
    ['ten', 'jobs: expected a number above 0, found ten'],
    ['0', 'jobs: expected a number above 0, found 0'],
  ])('the argument %s is refused', (text, message) => {
    expect(readArguments(usual, [text], false)).toBe(message);
  });

  it('every measurement reads its arguments in this way, and its usage names its program', () => {
    for (const name of globSync('*.ts', { cwd: folder }).filter((each) => each !== 'run.ts')) {
      const source = readFileSync(join(folder, name), 'utf8');
      expect([name, /\bargumentsOf[(<]/.test(source), source.includes('process.argv')]).toEqual([name, true, false]);
      expect(usageOf(source)).toContain(`node bench/${name}`);
    }
  });

  it('--help prints the usage, and measures nothing', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'recover.ts'), '--help']);
    expect(stdout).toContain('`node bench/recover.ts [jobs] [orphans]`');
  });
});
