import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { readLedger } from '../../src/runner/ledger/read-ledger.ts';
import { migrations } from '../../src/server/store/migrations.gen.ts';
import { start, startServer, temporaryFolder } from '../support/programs.ts';

/**
 * What each release left on disk when its server and its runner were killed in the middle of a workflow (scripts/keep-release.ts): this
 * version opens it.
 */

const KEPT = globSync(join(import.meta.dirname, 'kept/*.tar.gz')).sort();

it('the files of this version are kept for later ones', () => {
  expect(KEPT.map((path) => basename(path))).toContain(`${VERSION}.tar.gz`);
});

describe.each(KEPT.map((path) => [basename(path, '.tar.gz'), path]))('the files of release %s', (version, path) => {
  const unpacked = (): string => {
    const folder = temporaryFolder();
    execFileSync('tar', ['-xzf', path, '-C', folder]);
    return join(folder, version);
  };

  it('a server opens the database with the commits in its log, keeps a copy where the tables change, and a runner works on it', async () => {
    const cwd = unpacked();
    const { client, url, program } = await startServer(cwd, { database: 'torc.db' });
    const jobs = (await client.listJobs({ query: { workflow_id: 1 } })).items;
    expect(jobs.map(({ name, status }) => [name, status])).toEqual([
      ['done', 'completed'],
      ['failed', 'failed'],
      ['long', 'running'],
      ['after', 'blocked'],
    ]);
    const results = (await client.listResults({ query: { workflow_id: 1 } })).items;
    expect(results.map(({ return_code: code }) => code).sort((one, other) => one - other)).toEqual([0, 3]);
    const other = await start('torc', ['--url', url, 'exec', '-n', 'later', '-c', 'true'], { cwd }).ended;
    expect([other.code, other.stderr]).toEqual([0, expect.anything()]);
    program.child.kill('SIGTERM');
    await program.ended;
    const check = await start('torc-server', ['check', '--database', 'torc.db'], { cwd }).ended;
    expect([check.code, check.stdout]).toEqual([0, 'torc.db: nothing is wrong\n']);
    const db = new DatabaseSync(join(cwd, 'torc.db'), { readOnly: true });
    expect(db.prepare('pragma user_version').get()).toEqual({ user_version: migrations.length });
    db.close();
  });

  it('the ledger of the killed runner is read whole, and the output of its jobs is where the names of files say', () => {
    const cwd = unpacked();
    const [ledger = ''] = globSync('torc_output/**/*.ledger', { cwd });
    const facts = readLedger(join(cwd, ledger));
    expect(facts).toMatchObject({ run_id: 1, damagedLines: 0 });
    expect(facts?.started?.map(({ job_id: id }) => id).sort()).toEqual([1, 2, 3]);
    expect(facts?.completed.map(({ job_id: id, return_code: code }) => [id, code]).sort()).toEqual([
      [1, 0],
      [2, 3],
    ]);
    expect(readFileSync(join(cwd, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8')).toBe('42\n');
  });
});
