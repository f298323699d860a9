import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

const flow = 'name: flow\njobs: [{name: only, command: "echo done > done"}]\n';
/** A user id without rights: that of the user `nobody` on most systems. */
const STRANGER = 65_534;
const isRoot = process.getuid?.() === 0;
const TORC = resolve(import.meta.dirname, '../../bin/torc.mjs');
const asStranger = isRoot ? { uid: STRANGER, gid: STRANGER } : {};
/** Where the package lies in a private folder of the superuser, a stranger cannot start it. */
const isReachable = spawnSync(process.execPath, [TORC, '--version'], { cwd: '/', ...asStranger }).status === 0;

/** A folder with a workflow file, in which a run has made its database and its output folder. */
async function used() {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), flow);
  const first = await torc(['-s', 'create', 'flow.yaml'], { cwd: folder });
  expect(first.code).toBe(0);
  return { folder, database: join(folder, 'torc_output/torc.db') };
}

describe('files that another user prepared', () => {
  it('torc -s refuses a database with a trigger, which would change the commands of jobs, and runs nothing', async () => {
    const { folder, database } = await used();
    const db = new DatabaseSync(database);
    db.exec(
      "create trigger evil after insert on job begin update job set command = 'touch PWN' where id = new.id; end",
    );
    db.close();
    const { code, stderr } = await torc(['-s', '--trust-owner', 'run', 'flow.yaml'], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the database contains the trigger evil')]);
    expect([existsSync(join(folder, 'PWN')), existsSync(join(folder, 'done'))]).toEqual([false, false]);
  });

  it('torc -s refuses a database that every user may write, unless --trust-owner is given', async () => {
    const { folder, database } = await used();
    chmodSync(database, 0o666);
    const refused = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('everybody may write')]);
    expect(refused.stderr).toContain('--trust-owner');
    const trusted = await torc(['-s', '--trust-owner', 'run', 'flow.yaml'], { cwd: folder });
    expect([trusted.code, existsSync(join(folder, 'done'))]).toEqual([0, true]);
  });

  it.skipIf(!isRoot)('torc -s run refuses the database and the output folder of another user', async () => {
    const { folder, database } = await used();
    chownSync(database, STRANGER, STRANGER);
    const refused = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`belongs to user ${STRANGER}`)]);
    mkdirSync(join(folder, 'theirs'));
    chownSync(join(folder, 'theirs'), STRANGER, STRANGER);
    const words = ['-s', '--db', 'own.db', 'run', 'flow.yaml', '-o', 'theirs'];
    const output = await torc(words, { cwd: folder });
    expect([output.code, output.stderr]).toEqual([
      1,
      expect.stringContaining('the output folder may not be ours alone'),
    ]);
    const trusted = await torc([...words, '--trust-owner'], { cwd: folder });
    expect([trusted.code, existsSync(join(folder, 'done'))]).toEqual([0, true]);
  });

  it.skipIf(!isRoot)(
    'torc -s run refuses a folder of another user for the output of its jobs, also behind a link',
    async () => {
      for (const isLink of [false, true]) {
        const { folder } = await used();
        const [theirs, place] = [join(folder, 'theirs'), join(folder, 'torc_output/job_stdio')];
        mkdirSync(isLink ? theirs : place, { recursive: true });
        chownSync(isLink ? theirs : place, STRANGER, STRANGER);
        if (isLink) symlinkSync(theirs, place);
        const { code, stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
        expect([code, stderr]).toEqual([1, expect.stringContaining(`belongs to user ${STRANGER}`)]);
        expect(existsSync(join(folder, 'done'))).toBe(false);
      }
    },
  );

  it('torc -s run follows a link of its own user to the folder for the output of its jobs', async () => {
    const { folder } = await used();
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'torc_output/job_stdio'));
    expect((await torc(['-s', 'run', 'flow.yaml'], { cwd: folder })).code).toBe(0);
    expect(readdirSync(join(folder, 'elsewhere')).some((name) => name.endsWith('.o'))).toBe(true);
  });

  it('an output folder in which everybody may make files is refused, where hard links may wait, and a folder in it is not', async () => {
    const { folder } = await used();
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o1777);
    const words = ['-s', 'run', 'flow.yaml', '-o'];
    const refused = await torc([...words, 'open'], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('everybody may make files in open')]);
    expect((await torc([...words, 'open/own'], { cwd: folder })).code).toBe(0);
  });

  it.skipIf(!isReachable)(
    'torc -s names the database in a folder that this user may not enter, as after a run of another user',
    async () => {
      const { folder, database } = await used();
      chmodSync(folder, 0o755);
      if (!isRoot) chmodSync(join(folder, 'torc_output'), 0);
      const { status, stderr } = spawnSync(process.execPath, [TORC, '-s', 'workflows', 'list'], {
        cwd: folder,
        ...asStranger,
        encoding: 'utf8',
      });
      if (!isRoot) chmodSync(join(folder, 'torc_output'), 0o700);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('the database ./torc_output/torc.db cannot be written by this user: EACCES'),
      ]);
      expect(stderr).not.toContain('a bug in torc');
      expect(existsSync(database)).toBe(true);
    },
  );

  it.each(['', 'child_process'])(
    'a link in the place of the output of a job fails that job with the reason and leaves what it points to (%s)',
    async (launcher) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'precious'), 'kept');
      const two = 'name: flow\njobs: [{name: a, command: "echo over"}, {name: b, command: "true"}]\n';
      writeFileSync(join(folder, 'flow.yaml'), two);
      mkdirSync(join(folder, 'torc_output/job_stdio'), { recursive: true });
      symlinkSync(join(folder, 'precious'), join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'));
      const { code, stderr } = await torc(['-s', 'run', 'flow.yaml', '--fail'], {
        cwd: folder,
        environment: { TORC_LAUNCHER: launcher },
      });
      expect([code, readFileSync(join(folder, 'precious'), 'utf8')]).toEqual([1, 'kept']);
      const said = join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.e');
      expect(readFileSync(said, 'utf8')).toContain('is a symbolic link, which is not followed');
      expect(stderr).toContain('1 job completed, 1 failed');
    },
  );

  it.each([
    ['a named pipe', '', (path: string) => void spawnSync('mkfifo', [path])],
    ['a named pipe', 'child_process', (path: string) => void spawnSync('mkfifo', [path])],
    ['a folder', '', (path: string) => mkdirSync(path)],
    ['a folder', 'child_process', (path: string) => mkdirSync(path)],
  ])(
    '%s in the place of the output of a job fails that job with the reason, and the others run (%s)',
    async (what, launcher, make) => {
      const folder = temporaryFolder();
      const two = 'name: flow\njobs: [{name: a, command: "echo over"}, {name: b, command: "true"}]\n';
      writeFileSync(join(folder, 'flow.yaml'), two);
      mkdirSync(join(folder, 'torc_output/job_stdio'), { recursive: true });
      make(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'));
      const { code, stderr } = await torc(['-s', 'run', 'flow.yaml', '--fail'], {
        cwd: folder,
        environment: { TORC_LAUNCHER: launcher },
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining('1 job completed, 1 failed')]);
      const said = join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.e');
      expect(readFileSync(said, 'utf8')).toContain(`is ${what}`);
    },
  );
});
