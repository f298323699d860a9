import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../../cluster/database-file.ts';
import { ENDED } from '../../../core/job/statuses.ts';
import { anyOf, STATUS } from '../../records/rows/status.ts';
import { type Database, type NoParameters, openDatabase } from '../../store/database.ts';
import { KEEP_OLDEST, migrateDatabase } from '../../store/migrate.ts';
import { fresh, migrations } from '../../store/migrations.gen.ts';
import { EDGES, IN_STEPS } from '../queries.ts';
import type { SavedColumn, SavedTable } from './tables.ts';
import type { StoredRow } from './trees.ts';

/** Opens a new database in an empty file, with the tables of a version and none of the rows with which one begins. */
export function openSaved(path: string, version: number) {
  const db = new DatabaseSync(databaseFile(path));
  // It has another name until it is complete, and is written to disk as a whole. SQLite ignores `off` where it is defensive, as here.
  db.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off');
  db.exec(
    version === migrations.length
      ? fresh
      : migrations
          .slice(0, version)
          .map(({ sql }) => sql)
          .join('\n'),
  );
  const all = <Row>(sql: string) => db.prepare(sql).all() as unknown as Row[];
  const triggers = all<{ name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger'");
  for (const { name } of triggers) db.exec(`drop trigger ${name}`);
  const tables = all<{ name: string; wr: number }>(
    `select entry.name, list.wr from sqlite_schema entry join pragma_table_list list on list.name = entry.name
     where entry.type = 'table' and entry.name not like 'sqlite!_%' escape '!' order by entry.rowid`,
  ).map(({ name, wr }) => tableFrom(name, wr === 0, all(`select * from pragma_table_info('${name}')`)));
  for (const { name } of tables) db.exec(`delete from ${name}`);
  db.exec('begin');
  const inserts = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  return {
    tables,
    /** Stores a row; false where the table refuses it. */
    insert({ name, idColumn, columns }: SavedTable, { id, values }: StoredRow): boolean {
      const named = columns.slice(0, values.length);
      if (named.length === 0) return false;
      const key = `${name} ${named.length}`;
      const statement =
        inserts.get(key) ??
        db.prepare(
          `insert into ${name} (${named.map((column) => column.name).join(', ')}) values (${named.map(() => '?').join(', ')})`,
        );
      inserts.set(key, statement);
      try {
        statement.run(...named.map((column, at) => (column.name === idColumn ? (id ?? null) : (values[at] ?? null))));
        return true;
      } catch (error) {
        // Others, such as a full disk, end the transaction or the repair.
        if (!REFUSED.includes(((error as { errcode?: number }).errcode ?? 0) % 256)) throw error;
        return false;
      }
    },
    /** No id is given again that a lost row may have had. `last` is the one that was given last; undefined where that is lost, too. */
    keepIds(last: (table: string) => number | undefined): void {
      for (const { name } of all<{ name: string }>("select name from sqlite_schema where sql like '%autoincrement%'")) {
        const known = last(name);
        db.prepare('delete from sqlite_sequence where name = ?').run(name);
        db.prepare(
          `insert into sqlite_sequence (name, seq) select ?, max(?, coalesce(max(id), 0)) + ? from ${name}`,
        ).run(name, known ?? 0, known === undefined ? IDS_LEFT_OUT : 0);
      }
      db.exec('delete from sqlite_sequence where seq = 0');
    },
    /** Makes what was saved agree, in this version's tables, and closes it. Rows of lost workflows get one of this user. */
    settle(user: string): void {
      for (const sql of PLACEHOLDERS) db.prepare(sql).run(...(sql.includes('?') ? [user] : []));
      for (const [sql, table = ''] of fresh.matchAll(/^insert into (\w+) [^;]*;/gm))
        if (tables.some(({ name }) => name === table) && db.prepare(`select 1 from ${table}`).get() === undefined)
          db.exec(sql);
      for (const { sql } of triggers) db.exec(sql);
      db.exec(`commit; pragma user_version = ${version}`);
      db.close();
      const saved = openDatabase(path);
      try {
        migrateDatabase(saved);
        saved.run('pragma foreign_keys = off; begin');
        while (orphansDropped(saved) > 0);
        for (const sql of AGREE) saved.run(sql);
        saved.run(KEEP_OLDEST);
        saved.run('commit; pragma journal_mode = delete');
      } finally {
        saved.close();
      }
    },
    close: () => db.isOpen && db.close(),
  };
}

/** How many rows each table of a settled database has. */
export function savedCounts(path: string, tables: readonly string[]): ReadonlyMap<string, number> {
  const db = openDatabase(path, { isReadOnly: true });
  try {
    return new Map(
      tables.map((name) => [
        name,
        db.prepare<NoParameters, { rows: number }>(`select count(*) as rows from ${name}`).get({})?.rows ?? 0,
      ]),
    );
  } finally {
    db.close();
  }
}

/** SQLITE_CONSTRAINT and SQLITE_MISMATCH, with any extended code: the table refuses the row. */
const REFUSED = [19, 20];

/** More than a server gives between two looks at a database; ledgers on compute nodes name ids. */
const IDS_LEFT_OUT = 1_000_000;

interface Described {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

function tableFrom(name: string, hasIds: boolean, described: readonly Described[]): SavedTable {
  const columns = described.map((each): SavedColumn => ({
    name: each.name,
    type: each.type,
    isNullable: each.notnull === 0 && (each.pk === 0 || hasIds),
    hasDefault: each.dflt_value !== null,
  }));
  const [key, ...others] = described.filter(({ pk }) => pk > 0);
  return {
    name,
    hasIds,
    columns,
    idColumn: hasIds && others.length === 0 && key?.type === 'INTEGER' ? key.name : undefined,
  };
}

/** Rows that jobs cannot be without, where they are lost: those of jobs are worth more than a name. */
const PLACEHOLDERS = [
  `insert into workflow (id, name, user, timestamp)
    select distinct workflow_id, 'lost-' || workflow_id, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    from job where workflow_id not in (select id from workflow)`,
  `insert into resource_requirements
      (id, workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
    select resource_requirements_id, min(workflow_id), 'lost-' || resource_requirements_id, 1, 0, 1, '1m', 'P0DT1M', 1048576, 60
    from job where resource_requirements_id not in (select id from resource_requirements)
    group by resource_requirements_id`,
];

/** Deletes rows that refer to missing ones, or the reference where the table has it so; returns how many. */
function orphansDropped(db: Database): number {
  const references = db
    .prepare<NoParameters, { child: string; parent: string; column: string; key: string; action: string }>(`
      select child.name as child, "table" as parent, "from" as "column", coalesce("to", 'id') as key, on_delete as action
      from sqlite_schema child join pragma_foreign_key_list(child.name) where child.type = 'table'`)
    .all({});
  return references
    .map(({ child, parent, column, key, action }) =>
      db
        .prepare(
          `${action === 'SET NULL' ? `update ${child} set ${column} = null` : `delete from ${child}`}
           where ${column} is not null and not exists (select 1 from ${parent} parent where parent.${key} = ${child}.${column})`,
        )
        .run({}),
    )
    .reduce((sum, count) => sum + count, 0);
}

const CLASS_OF_JOB = `
  class.workflow_id = job.workflow_id and class.resource_requirements_id = job.resource_requirements_id`;

/** What the tables mean (`check/queries.ts` has the rules), made of the rows that are there. */
const AGREE = [
  `insert or ignore into job_class (workflow_id, resource_requirements_id, scheduler_id, labels, licenses)
    select distinct workflow_id, resource_requirements_id, scheduler_id, labels, licenses
    from job where not exists (select 1 from job_class class where class.id = job.class_id and ${CLASS_OF_JOB})`,
  `update job set class_id = (
      select class.id from job_class class
      where ${CLASS_OF_JOB} and coalesce(class.scheduler_id, 0) = coalesce(job.scheduler_id, 0)
        and coalesce(class.labels, '') = coalesce(job.labels, '') and coalesce(class.licenses, '') = coalesce(job.licenses, ''))
    where not exists (select 1 from job_class class where class.id = job.class_id and ${CLASS_OF_JOB})`,
  ...EDGES.map(
    ([table, other, column]) =>
      `delete from ${table} where not exists (
        select 1 from job join ${other} other on other.id = ${table}.${column}
        where job.id = ${table}.job_id and job.workflow_id = ${table}.workflow_id and other.workflow_id = ${table}.workflow_id)`,
  ),
  `update job set claimed_by = null where claimed_by is not null and not exists (
      select 1 from compute_node node where node.id = job.claimed_by and node.workflow_id = job.workflow_id)`,
  `update job set result_id = (select max(id) from result where result.job_id = job.id)
    where result_id is not null and not exists (select 1 from result where result.id = job.result_id and result.job_id = job.id)`,
  `update job set unmet = (
      select count(*) from job_depends_on edge join job upstream on upstream.id = edge.depends_on_job_id
      where edge.job_id = job.id and upstream.status not in ${anyOf(ENDED)})
    where status = ${STATUS.blocked} and workflow_id not in (${IN_STEPS})`,
  'delete from job_count',
  `insert into job_count (workflow_id, status, jobs)
    select workflow.id, status.value, (select count(*) from job where job.workflow_id = workflow.id and job.status = status.value)
    from workflow join json_each('[${Object.values(STATUS).join(', ')}]') status`,
  'insert or replace into workflow_time (workflow_id, minutes, is_stale) select id, 0, 1 from workflow',
];
