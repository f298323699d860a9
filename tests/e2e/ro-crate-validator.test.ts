import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** What `ro-crate export` writes, judged by the official validator. Passed over where `.ci/run` could not install it. */

const ROOT = resolve(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.build/ro-crate/bin/python');
const VALIDATOR = join(ROOT, '.build/ro-crate/bin/rocrate-validator');
const isMissing = !existsSync(VALIDATOR);

const FLOW = `
name: study
description: Squares and their sum
enable_ro_crate: ENABLED
env: { SERVICE_TOKEN: abc-very-secret }
user_data:
  - { name: exponent, data: 2 }
files:
  - { name: numbers, path: numbers.txt }
  - { name: squares, path: squares.txt }
jobs:
  - name: square
    command: "echo abc-very-secret | grep -q x || awk '{ print $1 ^ 2 }' numbers.txt > squares.txt"
    input_files: [numbers]
    output_files: [squares]
    input_user_data: [exponent]
  - { name: bad, command: 'exit 3' }
  - { name: never, command: 'true', depends_on: [bad] }
`;

interface Verdict {
  readonly passed: boolean;
  readonly skipped_checks: number;
  readonly issues: readonly { readonly severity: string; readonly message: string }[];
}

describe.skipIf(isMissing)('a research object and the validator (needs roc-validator)', () => {
  let cache: string;
  beforeAll(() => {
    cache = join(temporaryFolder(), 'cache');
    const { status, stderr } = spawnSync(PYTHON, [join(ROOT, 'tests/support/crate/fill-cache.py'), cache], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  /** What the validator says of a folder: what the profile of Workflow Run Crates, and those it stands on, require. */
  function verdictOf(folder: string): Verdict {
    const report = `${folder}.json`;
    const words = ['--disable-color', '-y', 'validate', '--no-paging', '--offline', '--cache-path', cache];
    spawnSync(VALIDATOR, [...words, '-p', 'workflow-run-crate', '-f', 'json', '-o', report, folder]);
    return JSON.parse(readFileSync(report, 'utf8')) as Verdict;
  }

  async function exported(enabled: boolean, ...options: string[]): Promise<string> {
    const folder = temporaryFolder();
    const cwd = join(folder, 'study');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'study.yaml'), FLOW.replace('ENABLED', String(enabled)));
    writeFileSync(join(cwd, 'numbers.txt'), '1\n2\n3\n');
    await torc(['-s', 'run', 'study.yaml'], { cwd });
    const words = ['-s', 'ro-crate', 'export', '1', '-o', 'ro-crate-metadata.json', ...options];
    const { code } = await torc(words, { cwd });
    expect(code).toBe(0);
    return cwd;
  }
  const LICENSE = ['--license', 'https://creativecommons.org/licenses/by/4.0/'];
  const AUTHOR = ['--author', 'Ada Lovelace 0000-0002-1825-0097'];

  it.each([
    ['with provenance', true],
    ['without provenance', false],
  ])('a workflow %s is exported as a Workflow Run Crate, also with a failed job', async (_, enabled) => {
    const cwd = await exported(enabled, ...LICENSE, ...AUTHOR);
    const { passed, skipped_checks: skipped, issues } = verdictOf(cwd);
    expect([passed, skipped, issues]).toEqual([true, 0, []]);
    expect(readFileSync(join(cwd, 'ro-crate-metadata.json'), 'utf8')).not.toContain('abc-very-secret');
  });

  it('without a licence the validator refuses it, for that reason alone', async () => {
    const { passed, issues } = verdictOf(await exported(true));
    expect(passed).toBe(false);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.filter(({ message }) => !message.includes('license'))).toEqual([]);
  });
});
