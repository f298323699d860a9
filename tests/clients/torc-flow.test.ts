import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { programFolder } from '../support/packed.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';

const PACKAGE = resolve(import.meta.dirname, '../../python');
const BIN = join(programFolder(), 'torc.mjs');

const version = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const isThere = version.status === 0;

describe.skipIf(!isThere)(
  isThere
    ? 'the Python package torc_flow'
    : 'the Python package torc_flow: skipped, there is no python3 of 3.9 or newer',
  () => {
    it('its own tests pass with this torc, on a server and without one', { timeout: 300_000 }, async () => {
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
      const ran = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', join(PACKAGE, 'tests')], {
        cwd: folder,
        env: environment,
        encoding: 'utf8',
      });
      expect([ran.status, ran.stderr]).toEqual([0, expect.stringMatching(/Ran 1[1-9] tests .*OK/s)]);
    });

    it('it is small, and has the version of the program', () => {
      const sources = readdirSync(join(PACKAGE, 'torc_flow')).filter((name) => name.endsWith('.py'));
      const lines = sources.flatMap((name) => readFileSync(join(PACKAGE, 'torc_flow', name), 'utf8').split('\n'));
      expect(lines.length).toBeLessThanOrEqual(500 + sources.length);
      expect(readFileSync(join(PACKAGE, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${VERSION}"\n`);
    });
  },
);
