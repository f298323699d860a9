import { describe, expect, it } from 'vitest';
import { shortageOf } from './full-disk.ts';

const disk = { blocks: 1000, bsize: 4096, bfree: 100, bavail: 100, files: 50, ffree: 20 };

describe('the room of a file system for output', () => {
  it.each([
    ['there are blocks and files', disk, undefined],
    ['no block is left', { ...disk, bfree: 0, bavail: 0 }, 'space'],
    ['a few blocks are left, as after the end of a job', { ...disk, bfree: 3, bavail: 3 }, 'space'],
    ['the blocks that are left are for the administrator', { ...disk, bavail: 0 }, 'space'],
    ['no more files can be made', { ...disk, ffree: 0 }, 'files'],
    ['the file system reports nothing', { blocks: 0, bsize: 4096, bfree: 0, bavail: 0, files: 0, ffree: 0 }, undefined],
  ])('a user lacks what is missing if %s', (_, room, expected) => {
    expect(shortageOf(room, false)).toBe(expected);
  });

  it('the blocks that are kept for the administrator are free for the administrator', () => {
    expect(shortageOf({ ...disk, bavail: 0 }, true)).toBeUndefined();
  });
});
