import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { tarOf } from '../../scripts/artefacts/archive.ts';
import { ADDITIONS, type LockedPackage, packageName } from '../../src/cluster/additions/additions.ts';
import { additionFolder, loadLibrary } from '../../src/cluster/additions/folder.ts';
import { packages } from '../../src/cluster/additions/packages.gen.ts';
import { addLibraries } from '../../src/operations/self/add.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** `torc add`, from a folder with archives as npm pack writes them, which are small here. */

let folder: string;
let place: string;

beforeEach(() => {
  folder = join(temporaryFolder(), 'additions');
  place = temporaryFolder();
});

/** An archive in the place, and what the lock would say of it. */
function archived(name: string, text: string, more: Partial<LockedPackage> = {}): LockedPackage {
  const manifest = JSON.stringify({ name, version: '1.0.0', main: 'main.js' });
  const files = { 'package.json': manifest, 'main.js': text };
  const bytes = gzipSync(
    tarOf(new Map(Object.entries(files).map(([path, each]) => [path, { content: Buffer.from(each) }])), 'package', 0),
  );
  writeFileSync(join(place, `${name.replace('@', '').replace('/', '-')}-1.0.0.tgz`), bytes);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  return { path: `node_modules/${name}`, version: '1.0.0', integrity, ...more };
}

const add = (wanted: readonly LockedPackage[]) => addLibraries('mail', { folder, from: place, wanted });
const nowhere = () => Promise.reject(new Error('it is nowhere'));
const loaded = () => loadLibrary<{ default: unknown }>('nodemailer', nowhere, { TORC_ADDITIONS: folder });

describe('torc add', () => {
  it('torc add installs a library with what it needs, each where the lock has it, and torc then loads it from there', async () => {
    const wanted = [
      archived('nodemailer', "module.exports = require('@some/part') + 1;"),
      archived('@some/part', 'module.exports = 41;'),
      archived('elsewhere', '', { os: ['plan9'] }),
    ];
    await expect(loaded()).rejects.toThrow('it is nowhere');
    expect(await add(wanted)).toEqual({ folder: additionFolder('mail', folder), packages: 2, wasThere: false });
    expect((await loaded()).default).toBe(42);
    expect(await add(wanted)).toMatchObject({ wasThere: true });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('torc add refuses an archive with another hash and one that is missing, and leaves nothing', async () => {
    const wanted = archived('nodemailer', 'module.exports = 1;');
    archived('nodemailer', 'module.exports = "another";');
    await expect(add([wanted])).rejects.toThrow('is damaged or another one');
    await expect(add([{ ...wanted, path: 'node_modules/@a/b' }])).rejects.toThrow(
      '@a/b/-/b-1.0.0.tgz or a-b-1.0.0.tgz',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('of two torc add at the same time one installs the libraries, and the other says that they are there', async () => {
    const wanted = [archived('nodemailer', 'module.exports = 42;')];
    const both = await Promise.all([add(wanted), add(wanted)]);
    expect(both.filter(({ wasThere }) => wasThere)).toHaveLength(1);
    expect((await loaded()).default).toBe(42);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('torc add removes what a killed one left a day ago, and not what another one writes', async () => {
    const [old, recent] = ['.part.old', '.part.new'].map((name) => join(folder, name, 'tree'));
    for (const each of [old, recent]) mkdirSync(each as string, { recursive: true });
    utimesSync(join(folder, '.part.old'), 0, 0);
    await add([archived('nodemailer', 'module.exports = 1;')]);
    expect(readdirSync(folder).sort()).toEqual(['.part.new', basename(additionFolder('mail', folder))]);
  });

  it('an addition that another user may change is not loaded', async () => {
    await add([archived('nodemailer', 'module.exports = 1;')]);
    chmodSync(additionFolder('mail', folder), 0o777);
    await expect(loaded()).rejects.toThrow('everybody may write');
  });

  it('torc add of something else says what there is', async () => {
    const { code, stderr } = await torc(['add', 'pears'], { cwd: place });
    expect([code, stderr]).toEqual([1, expect.stringContaining('none of postgres, kafka, duckdb, mail')]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('the packages of an addition', () => {
  it('the packages of an addition are its libraries and all that those need', () => {
    const modules = resolve(import.meta.dirname, '../..');
    for (const [addition, libraries] of Object.entries(ADDITIONS)) {
      const listed = packages[addition as keyof typeof ADDITIONS];
      const names = listed.map(({ path }) => packageName(path));
      expect(names).toEqual(expect.arrayContaining([...libraries]));
      for (const { path } of listed.filter((each) => existsSync(join(modules, each.path)))) {
        const manifest = JSON.parse(readFileSync(join(modules, path, 'package.json'), 'utf8')) as {
          dependencies?: Record<string, string>;
        };
        expect(Object.keys(manifest.dependencies ?? {}).filter((name) => !names.includes(name))).toEqual([]);
      }
    }
  });
});
