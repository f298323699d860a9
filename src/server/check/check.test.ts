import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { markDamage, refuseDamaged } from '../store/damage.ts';
import { openDatabase } from '../store/database.ts';
import { migrateDatabase } from '../store/migrate.ts';
import { checkDatabase } from './check.ts';

/** Two workflows: jobs a and b, where b waits for a and reads its file; and a job of another workflow. */
const CONTENT = `
  insert into workflow (id, name, user, timestamp) values (1, 'w', 'u', '2026'), (2, 'x', 'u', '2026');
  insert into resource_requirements (id, workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
    values (1, 1, 'default', 1, 0, 1, '1m', 'PT1M', 1048576, 60), (2, 2, 'default', 1, 0, 1, '1m', 'PT1M', 1048576, 60);
  insert into job_class (id, workflow_id, resource_requirements_id) values (1, 1, 1), (2, 2, 2);
  insert into compute_node (id, workflow_id, hostname, pid, start_time, num_cpus, memory_gb, num_gpus, num_nodes, compute_node_type)
    values (1, 1, 'n1', 1, '2026', 1, 1, 0, 1, 'local');
  insert into job (id, workflow_id, name, command, resource_requirements_id, class_id, status, unmet, claimed_by)
    values (1, 1, 'a', 'true', 1, 1, 4, 0, 1), (2, 1, 'b', 'true', 1, 1, 1, 1, null), (3, 2, 'c', 'true', 2, 2, 2, 0, null);
  insert into file (id, workflow_id, name, path) values (1, 1, 'f', 'f');
  insert into job_depends_on (job_id, depends_on_job_id, workflow_id) values (2, 1, 1);
  insert into job_output_file (job_id, file_id, workflow_id) values (1, 1, 1);
  insert into result (id, job_id, workflow_id, run_id, compute_node_id, return_code, exec_time_minutes, completion_time, status)
    values (1, 3, 2, 1, 1, 0, 1, '2026', 5);`;

describe('the check of a database', () => {
  let path: string;
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'check-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    path = join(folder, 'torc.db');
    change(`pragma user_version; ${CONTENT}`);
  });
  const change = (sql: string) => {
    const db = openDatabase(path);
    migrateDatabase(db);
    db.run('pragma foreign_keys = off');
    db.run(sql);
    db.close();
  };
  const found = () =>
    Object.entries(checkDatabase(path).faults).flatMap(([kind, { sentences }]) =>
      sentences.map((sentence) => `${kind}: ${sentence}`),
    );

  it('a database in which everything agrees has no fault', () => {
    expect(checkDatabase(path)).toEqual({ faults: {}, mark: undefined, isOtherVersion: false });
  });

  it.each([
    [
      'update job_count set jobs = 7 where workflow_id = 1 and status = 4',
      'counts: workflow 1 counts 7 jobs of status 4, and has 1',
    ],
    ['update job set unmet = 2 where id = 2', 'waits: job 2 waits for 2 jobs, and 1 of those before it are not over'],
    [
      'update job set claimed_by = 9 where id = 1',
      'claims: job 1 is claimed by runner 9, which its workflow does not have',
    ],
    [
      'update job set claimed_by = 1 where id = 3',
      'claims: job 3 is claimed by runner 1, which its workflow does not have',
    ],
    ['update job set result_id = 1 where id = 1', 'results: job 1 has result 1, which is not its own'],
    ['update job set class_id = 2 where id = 2', 'needs: job 2 is of class 2, which has other needs'],
    [
      'update job_output_file set workflow_id = 2',
      'edges: job_output_file of job 1: it and file 1 are not both of workflow 2',
    ],
    [
      'insert into job_depends_on values (2, 3, 1)',
      'edges: job_depends_on of job 2: it and job 3 are not both of workflow 1',
    ],
    ['update result set job_id = 8', 'references: result 1 refers to a missing job'],
  ])('a fault is named with its records: %s', (sql, expected) => {
    change(sql);
    expect(found()).toContain(expected);
  });

  it('the numbers of a workflow on which work is done in steps are no fault, and those of others are', () => {
    change("update job set unmet = 2 where id = 2; insert into workflow_work values (1, 'initialize', '{}')");
    expect(found()).toEqual([]);
    change('delete from workflow_work');
    expect(found()).toHaveLength(1);
  });

  it('of many faults of a kind some are named and the others counted', () => {
    change('update job_count set jobs = jobs + 1');
    const { counts } = checkDatabase(path).faults;
    expect([counts?.sentences.length, counts?.more]).toEqual([5, 17]);
  });

  it('a damaged page and a file that is no database are faults of pages', () => {
    const fd = openSync(path, 'r+');
    writeSync(fd, Buffer.alloc(4096, 0xff), 0, 4096, 4096 * 3);
    closeSync(fd);
    expect(Object.keys(checkDatabase(path).faults)).toEqual(['pages']);
    writeFileSync(path, 'x'.repeat(8192));
    expect(found()).toEqual([expect.stringContaining('pages: file is not a database')]);
  });

  it('a database in which a server met damage is refused until a check finds nothing', () => {
    const whole = `${path}.copy`;
    copyFileSync(path, whole);
    markDamage(path, 'database disk image is malformed', 0);
    change('update job set class_id = 2 where id = 2');
    expect(checkDatabase(path).mark).toBe('1970-01-01T00:00:00.000Z database disk image is malformed');
    expect(() => refuseDamaged(path)).toThrow('is damaged, as a server found: 1970-01-01');
    expect(statSync(`${path}-damaged`).mode & 0o777).toBe(0o600);
    copyFileSync(whole, path);
    expect(checkDatabase(path).faults).toEqual({});
    expect(existsSync(`${path}-damaged`)).toBe(false);
    refuseDamaged(path);
  });

  it('a database that is not there is refused, and none is made', () => {
    expect(() => checkDatabase(`${path}.absent`)).toThrow('there is no database');
    expect(existsSync(`${path}.absent`)).toBe(false);
  });
});
