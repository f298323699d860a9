import { expect, it } from 'vitest';
import { jobStatuses, type JobStatus, statusCode } from '../../core/contract/job.ts';
import { type Database, type NoParameters, openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations } from './migrations.gen.ts';

const WITH_LISTS = 26;
const NODE = 1;

/** A workflow with a compute node and one job, which a statement of each test changes. */
function withJob(db: Database): Database {
  db.run(`
    insert into workflow (id, name, user, timestamp, run_id) values (1, 'w', 'u', '', 4);
    insert into compute_node (id, workflow_id, hostname, pid, start_time, num_cpus, memory_gb, num_gpus, num_nodes, compute_node_type)
      values (${NODE}, 1, 'n', 1, '', 1, 1, 0, 1, 'local');
    insert into job (id, workflow_id, name, command, resource_requirements_id, class_id) values (1, 1, 'j', 'true', 1, 1);`);
  return db;
}

const fresh = () => {
  const db = openDatabase(':memory:');
  migrateDatabase(db);
  return withJob(db);
};

const older = () => {
  const db = openDatabase(':memory:');
  for (const { sql } of migrations.slice(0, WITH_LISTS)) db.run(sql);
  db.run(`pragma user_version = ${WITH_LISTS}`);
  return db;
};

const heldOf = (db: Database) =>
  db
    .prepare<NoParameters, object>('select job_id, attempt_id, workflow_id, compute_node_id, run_id from held_attempt')
    .all({});

/** What a change of the status leaves: the attempts that count as held, and the number of the job's attempt. */
function changed(db: Database, { from, to, holder }: { from: JobStatus; to: JobStatus; holder: number | null }) {
  const claimedBy = holder ?? 'null';
  db.run(`
    delete from held_attempt;
    update job set claimed_by = null;
    update job set status = ${statusCode[from]};
    update job set claimed_by = ${claimedBy}, attempt_id = 1;
    update job set status = ${statusCode[to]};`);
  const job = db.prepare<NoParameters, { attempt_id: number }>('select attempt_id from job');
  return { held: heldOf(db), attempt: job.get({})?.attempt_id };
}

const HELD = [{ job_id: 1, attempt_id: 1, workflow_id: 1, compute_node_id: NODE, run_id: 4 }];
const NOTHING = { held: [], attempt: 1 };
const OPEN_AGAIN = ['uninitialized', 'blocked', 'ready'];
const LOST = ['canceled', 'disabled', 'pending_failed'];

const expectedOf = (from: JobStatus, to: JobStatus) => {
  const isOver =
    from === 'pending' || from === 'running'
      ? [...OPEN_AGAIN, ...LOST].includes(to)
      : from === 'blocked' && to !== 'blocked' && to !== 'pending';
  if (!isOver) return NOTHING;
  return { held: HELD, attempt: OPEN_AGAIN.includes(to) ? 2 : 1 };
};

it.each(jobStatuses)(
  'a job that a runner holds leaves its attempt behind, from status %s, unless an end was reported',
  (from) => {
    const db = fresh();
    for (const to of jobStatuses)
      expect([to, changed(db, { from, to, holder: NODE })]).toEqual([to, expectedOf(from, to)]);
  },
);

it('a job that no runner holds leaves no attempt behind, whatever status it gets', () => {
  const db = fresh();
  for (const from of jobStatuses)
    for (const to of jobStatuses)
      expect([from, to, changed(db, { from, to, holder: null })]).toEqual([from, to, NOTHING]);
});

it('a database of an earlier version is migrated to the trigger without lists, and its attempts are as they were', () => {
  const db = withJob(older());
  db.run(`update job set status = 4, claimed_by = ${NODE}; update job set status = 7;`);
  migrateDatabase(db);
  expect(heldOf(db)).toEqual(HELD);
  const unchanged = withJob(older());
  for (const from of jobStatuses)
    for (const to of jobStatuses)
      expect([from, to, changed(db, { from, to, holder: NODE })]).toEqual([
        from,
        to,
        changed(unchanged, { from, to, holder: NODE }),
      ]);
});
