import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Runs a line of bash in a fresh folder. */
function run(line: string) {
  const env = { ...process.env, PATH: `${programFolder()}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('bash', ['-c', line], { cwd: temporaryFolder(), env, encoding: 'utf8' });
  return { status, stderr };
}

it('a current folder that was removed is named in a sentence', () => {
  const { status, stderr } = run('mkdir gone && cd gone && rmdir ../gone && torc -s exec -c true');
  expect([status, stderr]).toEqual([1, expect.stringContaining('the current folder is gone')]);
  expect(stderr).not.toContain('a bug in torc');
});

it('a current folder whose path is not UTF-8 is named in a sentence, also beside one that has the name that the runtime sees', () => {
  for (const beside of ['', "mkdir $'caf\\uFFFD';"]) {
    const { status, stderr } = run(`${beside} mkdir $'caf\\xe9' && cd $'caf\\xe9' && torc -s exec -c true`);
    expect([status, stderr]).toEqual([1, expect.stringContaining('the path of the current folder is not UTF-8')]);
  }
});

it('a current folder with blanks, quotes, a line break and the character for wrong bytes works', () => {
  const folder = join(temporaryFolder(), 'a b\'c\n\ufffd"$x');
  mkdirSync(folder);
  const env = { ...process.env, PATH: `${programFolder()}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('bash', ['-c', "torc -s exec -c 'pwd > here'"], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
});
