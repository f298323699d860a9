import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../../support/programs.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';

const NO_WORKFLOWS = '{\n  "items": []\n}\n';

function place(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), 'name: flow\njobs: [{name: one, command: "true"}]\n');
  writeFileSync(join(folder, 'file'), '');
  return folder;
}

describe('a folder that cannot be made', () => {
  it.each([
    [
      'run of a file',
      ['run', 'flow.yaml', '-o', 'file'],
      'cannot make the folder file: a file of this name is in the way',
    ],
    ['exec', ['exec', '-o', 'file/out', '-c', 'true'], 'cannot make the folder file/out: a part of the path is a file'],
    [
      'run below /proc',
      ['run', 'flow.yaml', '-o', '/proc/none/out'],
      'cannot make the folder /proc/none: no folder can be made there',
    ],
  ])(
    '%s: the folder that cannot be made is named with the reason, and no workflow is left behind',
    async (_, words, message) => {
      const cwd = place();
      const { code, stderr } = await torc(['-s', ...words], { cwd });
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
      expect(stderr).not.toContain('a bug in torc');
      expect(['', NO_WORKFLOWS]).toContain((await torc(['-s', 'workflows', 'list', '-f', 'json'], { cwd })).stdout);
    },
  );

  it('a database below /proc or a folder as a database is refused in words', async () => {
    const cwd = place();
    mkdirSync(join(cwd, 'folder'));
    const below = await torc(['-s', '--db', '/proc/none/torc.db', 'workflows', 'new', '-n', 'one'], { cwd });
    expect([below.code, below.stderr]).toEqual([1, expect.stringContaining('cannot make the folder /proc/none')]);
    const folder = await torc(['-s', '--db', 'folder', 'workflows', 'list'], { cwd });
    expect([folder.code, folder.stderr]).toEqual([
      1,
      expect.stringContaining('the database folder is a folder, not a file'),
    ]);
    const spec = await torc(['create', '--dry-run', 'folder'], { cwd });
    expect([spec.code, spec.stderr]).toEqual([1, 'Error reading spec: folder: it is a folder, not a file\n']);
  });
});

it('a table of parameters that is not there is named with the folder in which it was looked for', async () => {
  const cwd = place();
  const job = '{name: "j{a}", command: "true", use_parameters_file: true}';
  writeFileSync(join(cwd, 'sweep.yaml'), `name: sweep\nparameters_file: none.csv\njobs: [${job}]\n`);
  const { code, stderr } = await torc(['create', '--dry-run', 'sweep.yaml'], { cwd });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `Failed to read parameters_file 'none.csv': there is no such file below the current folder, ${cwd}`,
    ),
  ]);
});

it.skipIf(noSmallDisk)(
  'a disk that is full before the first tables are there is named, and the start works when there is space',
  async () => {
    const disk = smallDisk(1);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(750 * 1024));
    const call = (...words: string[]) => torc(['-s', '--db', join(disk, 'torc.db'), ...words], { cwd: place() });
    const full = await call('workflows', 'new', '-n', 'one');
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('cannot grow: the disk is full')]);
    expect(full.stderr).not.toContain('a bug in torc');
    rmSync(join(disk, 'filler'));
    expect(await call('workflows', 'new', '-n', 'one')).toMatchObject({ code: 0 });
    expect(existsSync(join(disk, 'torc.db'))).toBe(true);
  },
);
