import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { programOn } from './program-on.ts';

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
