import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../../../tests/support/small-disk.ts';
import { createOutputDisk } from './output-disk.ts';

function diskIn(folder: string, restMs = 60_000) {
  const reported: string[] = [];
  const log = { write: (_: string, words: string) => void reported.push(words) };
  return { reported, ...createOutputDisk({ freshMs: 0, folder, log, restMs }) };
}

describe.skipIf(noSmallDisk)('the disk of the output of jobs', () => {
  it('on a full disk the shortage is known, and logged once until there is room again', async () => {
    const folder = smallDisk();
    const { shortage, reported } = diskIn(folder);
    expect(await shortage()).toBeUndefined();
    const empty = fill(folder);
    expect([await shortage(), await shortage()]).toEqual(['space', 'space']);
    expect(reported).toEqual([expect.stringContaining('no room for the output of jobs')]);
    empty();
    expect(await shortage()).toBeUndefined();
    fill(folder);
    expect([await shortage(), reported.length]).toEqual(['space', 2]);
  });

  it('all jobs that ended since there was room are suspected, and those before are not', async () => {
    const folder = smallDisk();
    const { ended, shortage, finish } = diskIn(folder);
    ended('before');
    expect(await shortage()).toBeUndefined();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ended(name);
    const empty = fill(folder);
    expect(await shortage()).toBe('space');
    empty();
    ended('after');
    expect(await finish()).toEqual({ shortage: 'space', folder, count: 6, names: ['a', 'b', 'c', 'd', 'e', 'f'] });
  });

  it('a job that is the last to end is looked at when the runner ends', async () => {
    const folder = smallDisk();
    const { ended, finish } = diskIn(folder);
    fill(folder);
    ended('last');
    expect(await finish()).toMatchObject({ count: 1, names: ['last'] });
  });

  it('a runner looks for room by itself some time after a job has ended', async () => {
    const folder = smallDisk();
    fill(folder);
    const { promise, resolve } = Promise.withResolvers<string>();
    const disk = createOutputDisk({ freshMs: 0, folder, log: { write: (_, words) => resolve(words) }, restMs: 1 });
    disk.ended('a');
    expect(await promise).toContain('no room');
  });
});

describe('a look for room for the output of jobs', () => {
  it('a look leaves no file behind', async () => {
    const folder = temporaryFolder();
    const { ended, finish } = diskIn(folder);
    ended('a');
    expect(await finish()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a folder that is gone is not called full', async () => {
    expect(await diskIn('/none/at/all').shortage()).toBeUndefined();
  });
});
