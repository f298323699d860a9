import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { pathKey } from '../core/workflow-file/link/path-key.ts';
import { diskHere } from './disk-here.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A folder `real`, in which the process is, and a link `link` to it. */
function place() {
  const folder = realpathSync(temporaryFolder());
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  vi.spyOn(process, 'cwd').mockReturnValue(join(folder, 'real'));
  return { folder, keyIn: (pwd: string) => (vi.stubEnv('PWD', pwd), pathKey(diskHere())) };
}

describe('paths on this machine', () => {
  it('an absolute path through the link by which the shell knows the folder is a path below the folder', () => {
    const { folder, keyIn } = place();
    expect(keyIn(join(folder, 'link'))(join(folder, 'link/a/../o'))).toBe('o');
    expect(keyIn(join(folder, 'real'))(join(folder, 'real/o'))).toBe('o');
  });

  it('a folder that PWD names and that is another one is not the folder of relative paths', () => {
    const { folder, keyIn } = place();
    for (const pwd of [folder, join(folder, 'gone'), 'link']) expect(keyIn(pwd)(join(folder, 'link/o'))).not.toBe('o');
  });

  it('a link stays in a path before .., and a folder that is there or not there yet does not', () => {
    const { folder, keyIn } = place();
    mkdirSync(join(folder, 'real/there'));
    symlinkSync('there', join(folder, 'real/to'));
    const key = keyIn(folder);
    expect(['to/../o', 'there/../o', 'not/yet/../../o'].map(key)).toEqual(['to/../o', 'o', 'o']);
  });
});
