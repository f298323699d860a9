import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { runToEnd } from './exec.ts';
import { bashOn, programOn } from './program-on.ts';

/** A folder with a program that prints where it is. */
function folderWith(name: string, words: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), `#!/bin/sh\necho ${words}\n`, { mode: 0o755 });
  return folder;
}

it('a program is not looked for in the current folder where PATH has a relative or an empty entry', async () => {
  const theirs = relative(process.cwd(), folderWith('tool', 'theirs'));
  const ours = folderWith('tool', 'ours');
  expect(programOn(`${theirs}::${ours}`, 'tool')).toBe(join(ours, 'tool'));
  expect(bashOn(relative(process.cwd(), folderWith('bash', 'theirs')))).toMatch(/^\/(usr\/)?bin\/bash$/);
  const said = async (PATH: string) => runToEnd('tool', [], { atMostMs: 20_000, environment: { PATH } });
  expect((await said(`${theirs}:${ours}`)).stdout).toBe('ours\n');
  await expect(said(theirs)).rejects.toThrow('there is no tool on PATH');
});

it('a program is found in the first folder that has it, and a folder or a file that cannot be started is none', () => {
  const [one, two, three] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  mkdirSync(join(one, 'tool'));
  writeFileSync(join(two, 'tool'), '');
  chmodSync(join(two, 'tool'), 0o644);
  const path = `${one}::${two}:/none:${two}/tool:${three}`;
  expect(programOn(path, 'tool')).toBeUndefined();
  writeFileSync(join(three, 'tool'), '');
  chmodSync(join(three, 'tool'), 0o755);
  expect(programOn(path, 'tool')).toBe(join(three, 'tool'));
  expect([programOn('', 'tool'), programOn(undefined, 'tool')]).toEqual([undefined, undefined]);
});
