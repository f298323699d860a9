import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** `torc exec` for lists of commands and of values. */

describe('a list of names on standard input', () => {
  const names = ['a b.txt', "it's.txt", '$(touch PWNED).txt', '`touch PWNED`', '; touch PWNED', 'two\nlines', '*'];

  it('reaches the commands unchanged, name by name, and nothing in a name is carried out', async () => {
    const folder = temporaryFolder();
    for (const name of names) writeFileSync(join(folder, name), `in ${name}`);
    const { code, stderr } = await torc(['-s', 'exec', '-c', 'cat {f} > "{f}.copy"', '--param', 'f=@-'], {
      cwd: folder,
      input: names.join('\0'),
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining(': 7 jobs completed in ')]);
    for (const name of names) expect(readFileSync(join(folder, `${name}.copy`), 'utf8')).toBe(`in ${name}`);
    expect(existsSync(join(folder, 'PWNED'))).toBe(false);
    expect(stderr).not.toContain('warning');
  });

  it('and the same names in a file are read by the shell where the command does not quote them, with a warning', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'list'), '$(touch ran)\n');
    const { code, stderr } = await torc(['-s', 'exec', '-c', 'echo {f}', '--param', 'f=@list'], { cwd: folder });
    expect([code, existsSync(join(folder, 'ran'))]).toEqual([0, true]);
    expect(stderr).toContain('write {f:q} instead of {f} to pass each unchanged');
  });

  it('cannot be read twice', async () => {
    const cwd = temporaryFolder();
    for (const words of [
      ['-C', '-', '--param', 'f=@-'],
      ['-c', 'x', '--param', 'f=@-', '--param', 'g=@-'],
    ]) {
      const { code, stderr } = await torc(['exec', ...words], { cwd, input: 'a\n' });
      expect([code, stderr]).toEqual([2, expect.stringContaining('standard input can be read only once')]);
    }
  });
});

it('a job that fails is named after its value and shown with its command', async () => {
  const cwd = temporaryFolder();
  const { code, stderr } = await torc(['-s', 'exec', '-c', 'test {n} != 2', '--param', 'n=1:3'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/\njob2_2 \(job 2\) failed with exit code 1 after .*\n {2}\$ test 2 != 2\n/);
});
