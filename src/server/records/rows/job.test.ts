import { expect, it, test } from 'vitest';
import { columnNames, definitionNames, fieldOf } from '../../../core/job/fields.ts';
import { fresh } from '../../store/migrations.gen.ts';
import { openDatabase } from '../../store/database.ts';
import { claimedJobOf, type Definition, jobColumns, jobOf, type JobRow } from './job.ts';
import { definitionRow } from './job.gen.ts';

/** Columns that only the server needs: no request and no reply has them. */
const OF_THE_SERVER = ['choice', 'class_id', 'claimed_by', 'result_id', 'unmet', 'upstream_failed'];

const db = openDatabase(':memory:');
db.run(fresh);
const columns = db
  .prepare<Record<string, never>, { name: string; notnull: number; dflt_value: string | null }>(
    'select name, "notnull", dflt_value from pragma_table_info(\'job\')',
  )
  .all({});

it('each column of the table of jobs is a field of a job or belongs to the server alone, and each field but its relations is a column', () => {
  expect(columns.map(({ name }) => name).toSorted()).toEqual([...columnNames, ...OF_THE_SERVER].toSorted());
});

test.each(columnNames)(
  '%s may be null in the database if the table of fields says that a job may be without it',
  (name) => {
    const column = columns.find((each) => each.name === name);
    const { isSet, standard } = fieldOf(name);
    // SQLite gives a key no such mark, although it is never null.
    expect(column?.notnull === 1 || name === 'id').toBe(isSet === true);
    if (standard !== undefined) expect(Number(column?.dflt_value)).toBe(Number(standard));
  },
);

const empty: JobRow = {
  ...(Object.fromEntries(columnNames.map((name) => [name, null])) as unknown as JobRow),
  id: 1,
  workflow_id: 1,
  ...definitionRow({ name: 'j', command: 'x' }),
  status: 2,
  resource_requirements_id: 1,
  attempt_id: 1,
  refunded_attempts: 0,
};

it('a job without values has the defaults; its record has zeros and empty texts besides, and a runner gets nothing', () => {
  const always = { id: 1, workflow_id: 1, name: 'j', command: 'x', status: 'ready', priority: 0, attempt_id: 1 };
  const set = { ...always, resource_requirements_id: 1, cancel_on_blocking_job_failure: true };
  const zeros = { invocation_script: '', scheduler_id: 0, failure_handler_id: 0, supports_termination: false };
  expect(claimedJobOf(empty)).toEqual(set);
  expect(jobOf(empty)).toEqual({ ...set, ...zeros });
});

it('a definition is given back as it was stored', () => {
  const samples = { text: 's', integer: 7, texts: ['gpu'], variables: { A: '1' } };
  const given = Object.fromEntries(
    definitionNames.map((name) => {
      const { kind, standard } = fieldOf(name);
      return [name, kind === 'flag' ? standard !== true : samples[kind as keyof typeof samples]];
    }),
  ) as unknown as Definition;
  const row = { ...empty, ...definitionRow(given) };
  expect(claimedJobOf(row)).toMatchObject(given);
  expect(jobOf(row)).toMatchObject(given);
});

it('a row is read by the names of its columns, and without those of the server', () => {
  db.run(`
    pragma foreign_keys = off;
    insert into job (workflow_id, name, command, resource_requirements_id, class_id, removed_at_ms, refunded_attempts)
    values (1, 'j', 'x', 1, 1, 5, 2)`);
  const row = db.prepare<Record<string, never>, JobRow>(`select ${jobColumns} from job`).get({}) as JobRow;
  expect(jobOf(row)).toMatchObject({ status: 'uninitialized', removed_at_ms: 5, refunded_attempts: 2 });
  expect(jobOf(row)).not.toHaveProperty('class_id');
});
