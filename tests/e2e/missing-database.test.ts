import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsOf } from '../../src/cli/program/commands.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** `-s` commands in a folder without a database: what needs one makes none, and names the one above. */

const STRANGER = 65_534;
const isRoot = process.getuid?.() === 0;

/** A home folder with a project, in which there is a database where `database` says so, and a folder two levels below it. */
function place(database?: string) {
  const home = temporaryFolder();
  const project = join(home, 'project');
  const cwd = join(project, 'sub', 'deep');
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(project, 'torc_output'));
  if (database !== undefined) writeFileSync(join(project, database), '');
  const call = (...words: string[]) => torc(['-s', ...words], { cwd, environment: { HOME: home } });
  return { home, project, cwd, call };
}

const ABOVE = '../../torc_output/torc.db';
const NONE = 'there is no database in ./torc_output/torc.db; torc -s run FILE and torc -s create FILE make one';

describe('a command of -s without a database', () => {
  it.each([
    ['status'],
    ['status', '1'],
    ['workflows', 'list'],
    ['workflows', 'export', '1'],
    ['jobs', 'explain', 'a', '-w', '1'],
    ['jobs', 'cancel', '1'],
    ['run', '1'],
    ['run', 'samples', '--update'],
    ['results', 'list', '1'],
    ['ping'],
  ])('torc -s %s %s names the database above, makes none, and exits with 1', async (...words) => {
    const { cwd, call } = place('torc_output/torc.db');
    const { code, stdout, stderr } = await call(...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Error: there is no database in ./torc_output/torc.db; one is in ../../torc_output: name it with --db ${ABOVE}, or go to its folder\n`,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('a command that creates something makes a database, also below a folder that has one', async () => {
    const { cwd, call } = place('torc_output/torc.db');
    const { code, stderr } = await call('workflows', 'new', '-n', 'one');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('there is no database')]);
    expect(existsSync(join(cwd, 'torc_output', 'torc.db'))).toBe(true);
    expect((await call('workflows', 'list')).stdout).toContain('one');
  });

  it('without a database above, the message says what makes one', async () => {
    const { call } = place();
    expect((await call('status')).stderr).toContain(NONE);
  });

  it('a database that --db names is missing: the message names the path, and the one of that path above', async () => {
    const { project, call } = place('runs.db');
    const named = await call('--db', 'runs.db', 'status');
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('in runs.db; one is in ../..: name it')]);
    const elsewhere = await call('--db', join(project, 'none.db'), 'status');
    expect(elsewhere.stderr).toContain(`there is no database in ${join(project, 'none.db')}; torc -s run FILE`);
    expect(existsSync(join(project, 'none.db'))).toBe(false);
  });

  it('the command that the message suggests finds the database', async () => {
    const { project, call } = place();
    await torc(['-s', 'workflows', 'new', '-n', 'one'], { cwd: project });
    expect((await call('--db', ABOVE, 'workflows', 'list')).stdout).toContain('one');
  });
});

describe('the database above that a message names', () => {
  it('the home folder is the last one that is looked at', async () => {
    const { home, cwd } = place('torc_output/torc.db');
    const below = join(cwd, '..');
    const { stderr } = await torc(['-s', 'status'], { cwd, environment: { HOME: below } });
    expect(stderr).toContain(NONE);
    mkdirSync(join(home, 'torc_output'));
    writeFileSync(join(home, 'torc_output', 'torc.db'), '');
    const found = await torc(['-s', 'status'], { cwd: home.concat('/project/sub'), environment: { HOME: home } });
    expect(found.stderr).toContain('one is in ../torc_output');
  });

  it('a database that everybody may write is not named, but with --trust-owner', async () => {
    const { project, call } = place('torc_output/torc.db');
    chmodSync(join(project, 'torc_output', 'torc.db'), 0o666);
    expect((await call('status')).stderr).toContain(NONE);
    expect((await call('--trust-owner', 'status')).stderr).toContain('one is in ../../torc_output');
  });

  it.skipIf(!isRoot)('a database of another user is not named, nor one above a folder of another user', async () => {
    const { project, cwd, call } = place('torc_output/torc.db');
    chownSync(join(project, 'torc_output', 'torc.db'), STRANGER, STRANGER);
    expect((await call('status')).stderr).toContain(NONE);
    chownSync(join(project, 'torc_output', 'torc.db'), 0, 0);
    chownSync(join(cwd, '..'), STRANGER, STRANGER);
    expect((await call('status')).stderr).toContain(NONE);
  });

  it('a folder of the name of the database is no database', async () => {
    const { project, call } = place();
    mkdirSync(join(project, 'torc_output', 'torc.db'));
    expect((await call('status')).stderr).toContain(NONE);
  });
});

it('these commands make a database that is missing, and no others', async () => {
  const found: string[] = [];
  for (const program of ['torc', 'torc-mcp-server', 'torc-dash'])
    for (const { words, makesDatabase = false } of await commandsOf(program))
      if (makesDatabase) found.push(`${program} ${words.split(/ [<[]/)[0]}`);
  expect(found).toEqual([
    'torc create',
    'torc run',
    'torc exec',
    'torc submit',
    'torc page',
    'torc workflows new',
    'torc workflows import',
    'torc access-groups create',
    'torc remote run',
    'torc-mcp-server serve',
    'torc-dash serve',
  ]);
});
