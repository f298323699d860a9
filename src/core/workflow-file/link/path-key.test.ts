import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Disk, pathKey } from './path-key.ts';

const FOLDER = '/home/ada/w';
const disk = (links: readonly string[] = [], more: readonly string[] = []): Disk => ({
  folders: [FOLDER, ...more],
  isLink: (path) => links.includes(path),
});
const names = fc.constantFrom('a', 'b', 'res', 'o.txt', '...', '.h');
const spelling = fc
  .tuple(
    fc.constantFrom('', '/', '//', `${FOLDER}/`, './', '../'),
    fc.array(fc.oneof(names, fc.constantFrom('', '.', '..')), { maxLength: 7 }),
  )
  .map(([head, parts]) => head + parts.join('/'));

describe('the key of a path', () => {
  test.each([
    './res/o.txt',
    'res//o.txt',
    'res/./o.txt',
    'res/o.txt/',
    'x/../res/o.txt',
    'x/y/../../res/o.txt',
    '../w/res/o.txt',
    `${FOLDER}/res/o.txt`,
    `${FOLDER}//x/../res/./o.txt`,
    '/home/../home/ada/w/res/o.txt',
    '/link/to/w/res/o.txt',
    '/link/to/w/x/../res/o.txt',
  ])('%s is the file res/o.txt', (path) => {
    expect(pathKey(disk([], ['/link/to/w']))(path)).toBe('res/o.txt');
  });

  test.each([
    'res/p.txt',
    'res/O.txt',
    'res',
    '/res/o.txt',
    '../res/o.txt',
    `${FOLDER}2/res/o.txt`,
    'res/o.txt ',
    'res\\o.txt',
  ])('%s is another file than res/o.txt', (path) => {
    expect(pathKey(disk())(path)).not.toBe('res/o.txt');
  });

  it('two paths without links have the same key exactly when they are the same file', () => {
    const key = pathKey(disk());
    fc.assert(
      fc.property(spelling, spelling, (one, other) => {
        const isSame = posix.resolve(FOLDER, one) === posix.resolve(FOLDER, other);
        expect(key(one) === key(other)).toBe(isSame);
        expect(key(key(one))).toBe(key(one));
      }),
    );
  });

  it('two paths with the same key are the same file, whichever of their folders are links', () => {
    /** Where a path leads: each link names a folder elsewhere. */
    const placeOf = (path: string, links: readonly string[]): string => {
      let at = '';
      for (const part of (path.startsWith('/') ? path : `${FOLDER}/${path}`).split('/')) {
        if (part === '' || part === '.') continue;
        at = part === '..' ? at.slice(0, Math.max(at.lastIndexOf('/'), 0)) : `${at}/${part}`;
        if (links.includes(at)) at = `/disk${at.replaceAll('/', '-')}/deep`;
      }
      return at;
    };
    const links = fc.subarray([`${FOLDER}/a`, `${FOLDER}/b`, `${FOLDER}/b/a`, '/home/ada/a', '/a']);
    fc.assert(
      fc.property(spelling, spelling, links, (one, other, linked) => {
        const key = pathKey(disk(linked));
        if (key(one) === key(other)) expect(placeOf(one, linked)).toBe(placeOf(other, linked));
      }),
      { numRuns: 500 },
    );
  });

  it('a .. after a link stays, and one before it is left out', () => {
    const key = pathKey(disk([`${FOLDER}/x`]));
    expect(['x/../o', 'x/y/../o', './x//../o'].map(key)).toEqual(['x/../o', 'x/y/../o', 'x/../o']);
    expect(['y/../x/o', 'y/../o'].map(key)).toEqual(['x/o', 'o']);
  });

  it('without a disk a .. and an absolute path stay, and . and // do not', () => {
    const key = pathKey(undefined);
    expect(['./a//b/', 'x/../a', `${FOLDER}/a`, '//a/./b'].map(key)).toEqual(['a/b', 'x/../a', `${FOLDER}/a`, '/a/b']);
  });

  it('an address keeps its text', () => {
    const key = pathKey(disk());
    for (const text of ['s3://bucket/a//b', 'file:///home/ada/w/a', 'https://x.org/../y']) expect(key(text)).toBe(text);
  });
});
