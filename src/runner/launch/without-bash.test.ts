import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jobsOf, noPosix } from '../../../tests/support/launching.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { isOnLocalDisk } from '../../cluster/network-file-system.ts';
import { createWithoutBash, environmentOfBash } from './without-bash.ts';

type Variables = readonly (readonly [string, string])[];

const PATH = '/usr/bin:/bin';
const folder = temporaryFolder();
const file = (name: string, text: string, mode: number) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const script = file('script', 'echo I am $0 with $*; env', 0o755);
const named = file('named', '#!/bin/sh\necho I am named; exit 3', 0o755);
const text = file('text', 'echo no program', 0o644);
const broken = file('broken', '#!/no/such/shell\n', 0o755);
mkdirSync(join(folder, 'inner/env'), { recursive: true });
symlinkSync('/no/such/program', join(folder, 'dangling'));

/** Does a job of this command start without bash? */
const isAlone = (environment: Readonly<Record<string, string>>, command: string, variables: Variables = []) =>
  createWithoutBash(environmentOfBash(environment, process.cwd()))({
    script: command,
    variables,
    stdout: undefined,
    stderr: undefined,
  }) !== undefined;

/** What jobs of this command end with and print, by a launcher that starts bash for all, and by one that may do without. */
async function byBoth(environment: Readonly<Record<string, string>>, command: string, variables: Variables = []) {
  const [asBash, ours] = (['child_process', 'posix_spawn'] as const).map((name) => jobsOf(name, environment));
  if (asBash === undefined || ours === undefined) throw new Error('two launchers');
  onTestFinished(() => [asBash, ours].forEach(({ launcher }) => launcher.close()));
  const ends = await Promise.all([asBash, ours].map((jobs) => jobs.run(command, variables)));
  return ends.map(({ exitCode, signal, stdout, stderr }) => ({
    exitCode,
    signal,
    stdout: stdout.split('\n').toSorted().join('\n'),
    stderr,
  }));
}

const isMissing = noPosix !== undefined || !isOnLocalDisk(folder);

describe.skipIf(isMissing)('a job that starts without bash is one that bash started', () => {
  it.each<[string, boolean]>([
    ['env', true],
    ['/usr/bin/env', true],
    ['env A=1 printenv A PATH', true],
    ['cat /proc/self/cmdline', true],
    ['  ls   -d  / \n', true],
    ['true', true],
    ['false', true],
    ['cat /no/such/file', true],
    [`${script} a b`, true],
    [named, true],
    [text, true],
    [broken, true],
    [folder, true],
    [join(folder, 'missing'), false],
    [join(folder, 'dangling'), false],
    ['no-such-program a', false],
    ['echo -e a', false],
    ['true --help', false],
    ['env; exit 4', false],
    ['A=1 printenv A', false],
  ])('%s', async (command, alone) => {
    const environment = { PATH, HOME: folder, _: '/usr/bin/torc' };
    expect(isAlone(environment, command)).toBe(alone);
    const [bash, ours] = await byBoth(environment, command);
    expect(ours).toEqual(bash);
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['nothing else', {}, true],
    ['the level of shells', { SHLVL: '5' }, true],
    ['a level of shells that is no number', { SHLVL: 'deep' }, false],
    ['its folder', { PWD: process.cwd() }, true],
    ['another folder than its own', { PWD: '/' }, true],
    ['a folder that is not written out', { PWD: `${process.cwd()}/.` }, true],
    ['the folder before', { OLDPWD: '/usr' }, true],
    ['a folder before that is gone', { OLDPWD: '/no/such/folder' }, true],
    ['a folder before that is a file', { OLDPWD: text }, true],
    ['a name that bash does not accept for a variable', { 'A-B': '1' }, true],
    ['a file that bash reads first', { BASH_ENV: file('first', 'env() { echo first; }', 0o644) }, false],
    ['a function of that name', { 'BASH_FUNC_env%%': '() {  echo function\n}' }, false],
    ['a function of another name', { 'BASH_FUNC_module%%': '() {  echo function\n}' }, true],
    ['options of bash', { SHELLOPTS: 'xtrace' }, false],
    ['programs that bash leaves out', { EXECIGNORE: '/usr/bin/env' }, false],
    ['a folder of programs that is missing', { PATH: `/no/such/folder:${folder}/none:${PATH}` }, true],
    ['a folder that has a folder of that name', { PATH: `${folder}/inner:${PATH}` }, true],
    ['its own folder before others', { PATH: `:${PATH}` }, false],
    ['a folder below its own', { PATH: `bin:${PATH}` }, false],
  ])('with %s in the environment', async (_, more, alone) => {
    const environment = { PATH, HOME: folder, ...more };
    expect(isAlone(environment, 'env')).toBe(alone);
    const [bash, ours] = await byBoth(environment, 'env');
    expect(ours).toEqual(bash);
    expect(bash?.exitCode).toBe(0);
  });

  it.each<[string, Variables, boolean]>([
    ['variables of its own', [['A', 'b c\nd']], true],
    ['other programs', [['PATH', folder]], true],
    ['no programs', [['PATH', '']], false],
    ['a file that bash reads first', [['BASH_ENV', text]], false],
    ['a function', [['BASH_FUNC_script%%', '() {  echo function\n}']], false],
    ['a folder', [['PWD', '/']], false],
    ['a level of shells', [['SHLVL', '7']], false],
  ])('with %s for the job', async (_, variables, alone) => {
    const environment = { PATH: `${folder}:${PATH}` };
    expect(isAlone(environment, 'script a', variables)).toBe(alone);
    const [bash, ours] = await byBoth(environment, 'script a', variables);
    expect(ours).toEqual(bash);
  });

  it('a program of another user alone is looked for further on, as bash does', async () => {
    const first = temporaryFolder();
    const path = join(first, 'script');
    writeFileSync(path, 'echo not this one');
    chmodSync(path, 0o000);
    const environment = { PATH: `${first}:${folder}` };
    const [bash, ours] = await byBoth(environment, 'script');
    expect(ours).toEqual(bash);
    expect(bash?.stdout).toContain('I am');
  });
});

describe('a program that is made while the runner lives', () => {
  it.skipIf(isMissing)('the next job starts it, if it is found first and may be executed', async () => {
    const programs = temporaryFolder();
    const environment = { PATH: `${programs}:${PATH}` };
    const jobs = jobsOf('posix_spawn', environment);
    onTestFinished(() => jobs.launcher.close());
    expect((await jobs.run('printenv PATH')).stdout).toBe(`${environment.PATH}\n`);
    const own = join(programs, 'printenv');
    writeFileSync(own, '#!/bin/sh\necho mine\n');
    expect((await jobs.run('printenv PATH')).stdout).toBe(`${environment.PATH}\n`);
    chmodSync(own, 0o755);
    expect((await jobs.run('printenv PATH')).stdout).toBe('mine\n');
  });
});
