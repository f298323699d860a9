import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { isCi } from '../support/in-ci.ts';
import { programFolder } from '../support/packed.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';
import { findPythons, MINORS, type Python } from '../support/pythons.ts';

const PACKAGE = resolve(import.meta.dirname, '../../python');
const BIN = join(programFolder(), 'torc.mjs');

/** Those tests that need the programs and are tried with every Python. */
const WITH_PROGRAMS = ['test_a_script_gets_the_results', 'test_a_function_that_ends_python'];

async function ran(python: Python, chosen: readonly string[]) {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'torc'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(join(folder, 'torc'), 0o755);
  const environment = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    PYTHONPATH: PACKAGE,
    PYTHONDONTWRITEBYTECODE: '1',
    TORC_API_URL: undefined,
    TORC_TEST_URL: server.url,
  };
  const words = ['-m', 'unittest', 'discover', '-s', join(PACKAGE, 'tests'), ...chosen.flatMap((name) => ['-k', name])];
  const program = spawn(python.path, words, { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, code] = await Promise.all([
    text(program.stderr),
    new Promise<number | null>((resolved) => program.once('close', resolved)),
  ]);
  return [code, said];
}

const [usual, ...others] = findPythons().filter(({ minor }) => MINORS.some((each) => each === minor));
const missing = MINORS.filter((each) => [usual, ...others].every((python) => python?.minor !== each));

describe('the Python package torc_flow', () => {
  it.skipIf(usual === undefined)(
    `its own tests pass with this torc, on a server and without one, with Python ${usual?.version}`,
    { timeout: 600_000 },
    async () => {
      expect(await ran(usual as Python, [])).toEqual([0, expect.stringMatching(/Ran [3-9]\d tests .*OK/s)]);
    },
  );

  // A plain `npm test` tries the usual one.
  it.skipIf(!isCi).each(others)(
    'what is sent to jobs arrives with Python $version',
    { timeout: 600_000 },
    async (python) => {
      expect(await ran(python, ['test_sent', ...WITH_PROGRAMS])).toEqual([
        0,
        expect.stringMatching(/Ran [2-9]\d tests .*OK/s),
      ]);
    },
  );

  // For the reader of the report.
  if (missing.length > 0) test.skip.each(missing)('Python %s is left out: there is none on this machine', () => {});

  it('it is small, and has the version of the program', () => {
    const sources = readdirSync(join(PACKAGE, 'torc_flow')).filter((name) => name.endsWith('.py'));
    const lines = sources.flatMap((name) => readFileSync(join(PACKAGE, 'torc_flow', name), 'utf8').split('\n'));
    expect(lines.length).toBeLessThanOrEqual(1100 + sources.length);
    expect(readFileSync(join(PACKAGE, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${VERSION}"\n`);
  });
});
