import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Files } from '../../scripts/artefacts/archive.ts';
import type { Platform } from '../../scripts/artefacts/runtimes.ts';
import { wheelOf } from '../../scripts/artefacts/wheel.ts';
import { PLATFORM } from '../support/made-release.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Wheels with small programs, as pip installs them. The release itself installs the whole one (scripts/release.ts). */

const text = (words: string, isProgram = false) => ({ content: Buffer.from(words), isProgram });
const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const torc = '#!/bin/sh\necho "torc of $(readlink -f "$0"): $*"\nexit 7\n';
const programs: Files = new Map([
  ['bin/torc', text(torc, true)],
  ['bin/torc-server', text(torc, true)],
  ['bin/torc.mjs', text('')],
  ['bin/runtime.sh', text('')],
  ['python/torc_flow/program.py', text('')],
  ['share/link.sh', text('')],
  ['share/man/man1/torc.1', text('.TH TORC 1\n')],
]);
const modules: Files = new Map([
  ['torc_flow/__init__.py', text('')],
  ['torc_flow/program.py', text(read('python/torc_flow/program.py'))],
]);

const wheel = (files?: Files) =>
  wheelOf({
    project: read('python/pyproject.toml'),
    readme: read('python/README.md'),
    modules,
    licences: new Map([['LICENSE', text(read('LICENSE'))]]),
    programs: files && { platform: PLATFORM as Platform, files },
    atSeconds: 1_700_000_000,
  });

const hasVenv = spawnSync('python3', ['-c', 'import ensurepip']).status === 0;

describe.skipIf(!hasVenv)(hasVenv ? 'a wheel that pip installs' : 'a wheel: skipped, python3 has no venv', () => {
  let folder: string;
  let venv: string;
  const run = (program: string, ...words: string[]) =>
    spawnSync(join(venv, 'bin', program), words, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
  const install = (files?: Files) => {
    const { name, content } = wheel(files);
    writeFileSync(join(folder, name), content);
    const words = ['install', '--no-index', '--force-reinstall', '--disable-pip-version-check', join(folder, name)];
    return run('pip', ...words);
  };

  beforeAll(() => {
    folder = temporaryFolder();
    venv = join(folder, 'an environment');
    execFileSync('python3', ['-m', 'venv', venv]);
  });

  it('the programs are in the environment, with their arguments and exit codes, and Python finds them by itself', () => {
    expect(install(programs)).toMatchObject({ status: 0 });
    const { status, stdout } = run('torc', 'run', 'a file.yaml');
    expect([status, stdout]).toEqual([7, `torc of ${venv}/lib/torc-flow/bin/torc: run a file.yaml\n`]);
    expect(run('torc-server').status).toBe(7);
    const found = run('python', '-c', 'from torc_flow.program import torc; print(torc())');
    expect([found.stderr, found.stdout]).toEqual(['', `${venv}/bin/torc\n`]);
  });

  it('modules, manual pages, licence and modes are where they belong, and nothing of the archive alone is there', () => {
    const { stdout } = run('pip', 'show', '--files', 'torc-flow');
    const files = stdout
      .slice(stdout.indexOf('Files:'))
      .split('\n')
      .map((line) => line.trim());
    expect(files).toEqual(expect.arrayContaining(['torc_flow/program.py', '../../../share/man/man1/torc.1']));
    expect(files.filter((path) => /link\.sh|python\/|runtime\.sh$/.test(path))).toEqual([
      '../../torc-flow/bin/runtime.sh',
    ]);
    expect(files.some((path) => path.endsWith('dist-info/licenses/LICENSE'))).toBe(true);
    const mode = (path: string) => statSync(join(venv, path)).mode & 0o777;
    expect([mode('lib/torc-flow/bin/torc') & 0o100, mode('lib/torc-flow/bin/torc.mjs') & 0o111]).toEqual([0o100, 0]);
  });

  it('one without programs installs everywhere, and Python takes the torc of PATH', () => {
    expect(wheel().name).toMatch(/^torc_flow-.*-py3-none-any\.whl$/);
    expect(install()).toMatchObject({ status: 0 });
    const found = run('python', '-c', 'from torc_flow.program import torc; print(torc())');
    expect([found.stderr, found.stdout]).toEqual(['', 'torc\n']);
    expect(run('torc').error).toMatchObject({ code: 'ENOENT' });
  });

  it('a removal leaves no file of it', () => {
    install(programs);
    expect(run('pip', 'uninstall', '--yes', 'torc-flow')).toMatchObject({ status: 0 });
    const left = execFileSync('find', [venv, '-iname', '*torc*', '-type', 'f'], { encoding: 'utf8' });
    expect(left).toBe('');
  });

  it('one whose file was damaged is refused', () => {
    const { name, content } = wheel(programs);
    const at = content.indexOf('torc_flow/program.py') + 200;
    content.writeUInt8(content.readUInt8(at) ^ 0xff, at);
    writeFileSync(join(folder, name), content);
    expect(run('pip', 'install', '--no-index', join(folder, name)).status).not.toBe(0);
  });
});

it('the same files make the same bytes, and other files other ones', () => {
  const [one, two] = [wheel(programs), wheel(programs)];
  expect(one.content.equals(two.content)).toBe(true);
  const other = wheel(new Map([...programs, ['bin/torc', text('#!/bin/sh\n', true)]]));
  expect(one.content.equals(other.content)).toBe(false);
});

it('the name of a wheel says the platform of its programs as pip does', () => {
  const name = (platform: Platform) =>
    wheelOf({
      project:
        '[project]\nname = "torc-flow"\nversion = "1.2.3"\ndescription = "d"\nrequires-python = ">=3.9"\nlicense = { text = "MIT" }\n',
      readme: '',
      modules,
      licences: new Map(),
      programs: { platform, files: programs },
      atSeconds: 1_700_000_000,
    }).name;
  expect([name('linux-x64'), name('linux-arm64'), name('darwin-arm64')]).toEqual([
    'torc_flow-1.2.3-py3-none-manylinux_2_28_x86_64.whl',
    'torc_flow-1.2.3-py3-none-manylinux_2_28_aarch64.whl',
    'torc_flow-1.2.3-py3-none-macosx_13_0_arm64.whl',
  ]);
});
