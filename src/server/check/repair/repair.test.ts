import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../store/database.ts';
import { migrateDatabase } from '../../store/migrate.ts';
import { migrations } from '../../store/migrations.gen.ts';
import { ownDatabase } from '../../store/own.ts';
import { checkDatabase } from '../check.ts';
import { openPages } from './pages.ts';
import { repairDatabase as repair } from './repair.ts';

const PAGE = 4096;
const JOBS = 1_500;
const repairDatabase = (path: string, output: string) => repair(path, output, 'u');

/** A workflow whose tables and indexes have several pages: each job but the first waits for one, has a file and a long command at times. */
const CONTENT = `
  insert into workflow (id, name, user, timestamp) values (1, 'w', 'u', '2026'), (2, 'x', 'v', '2026');
  insert into resource_requirements (id, workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s)
    values (1, 1, 'default', 1, 0, 1, '1m', 'PT1M', 1048576, 60);
  insert into job_class (id, workflow_id, resource_requirements_id) values (1, 1, 1);
  insert into compute_node (id, workflow_id, hostname, pid, start_time, num_cpus, memory_gb, num_gpus, num_nodes, compute_node_type)
    values (1, 1, 'n1', 1, '2026', 1, 1.5, 0, 1, 'local');
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${JOBS})
  insert into job (id, workflow_id, name, command, resource_requirements_id, class_id, status, unmet, claimed_by)
    select i, 1, 'job ' || i, iif(i % 500 = 0, replace(hex(zeroblob(5000)), '0', 'x'), 'true'), 1, 1,
      case when i = 1 then 4 else 1 end, iif(i = 1, 0, 1), iif(i = 1, 1, null) from n;
  insert into job_depends_on select id, id - 1, 1 from job where id > 1;
  insert into file (id, workflow_id, name, path, st_mtime) select id, 1, 'f' || id, 'out/' || id, id / 4.0 from job;
  insert into job_output_file (job_id, file_id, workflow_id) select id, id, 1 from job;
  insert into event (workflow_id, timestamp, data) select 1, id, '{"a": ' || id || '}' from job;
  delete from event where id % 3 = 0;
  insert into event (workflow_id, timestamp, data) select 2, id, replace(hex(zeroblob(600)), '0', 'e') from job;
  delete from event where workflow_id = 2;`;

let template: string;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'repair-'));
  template = join(folder, 'torc.db');
  const db = openDatabase(template);
  migrateDatabase(db);
  db.run(CONTENT);
  db.close();
  return () => rmSync(folder, { recursive: true });
});

function copy(): { readonly path: string; readonly output: string; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'repair-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'torc.db');
  copyFileSync(template, path);
  return { path, output: join(folder, 'saved.db'), folder };
}

/** Every row of a database, by its table, but for what is made of the others. */
function contentOf(path: string): Map<string, string[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[];
  const made = ['job_count', 'workflow_time', 'job_class'];
  const content = tables
    .filter(({ name }) => !made.includes(name))
    .map(({ name }): [string, string[]] => [
      name,
      db
        .prepare(`select * from ${name}`)
        .all()
        .map((row) => JSON.stringify(row))
        .sort(),
    ]);
  db.close();
  return new Map(content);
}

/** Writes a number of 32 bits into a page. */
function writeNumber(path: string, { page, at, value }: { page: number; at: number; value: number }): void {
  const content = readFileSync(path);
  content.writeUInt32BE(value, (page - 1) * PAGE + at);
  writeFileSync(path, content);
}

function overwrite(path: string, number: number, bytes: Buffer): void {
  const content = readFileSync(path);
  bytes.copy(content, (number - 1) * PAGE);
  writeFileSync(path, content);
}

const rootOf = (name: string): number => {
  const db = new DatabaseSync(template, { readOnly: true });
  const found = db.prepare('select rootpage from sqlite_schema where name = ?').get(name) as { rootpage: number };
  db.close();
  return found.rootpage;
};

const GARBAGE = Buffer.alloc(PAGE, 0xa5);

describe('the repair of a database', () => {
  it('a database without damage is saved row by row, and ids go on where they were', () => {
    const { path, output, folder } = copy();
    const { tables, unassigned, faults } = repairDatabase(path, output);
    expect([unassigned, faults]).toEqual([0, {}]);
    expect(tables).toContainEqual({ table: 'job', saved: JOBS, lost: 0, isAtLeast: false });
    expect(tables.filter(({ lost, isAtLeast }) => lost > 0 || isAtLeast)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['saved.db', 'torc.db']);
    expect(contentOf(output)).toEqual(contentOf(path));
  });

  it.each(['job', 'event', 'file', 'job_depends_on', 'job_output_file'])(
    'rows are saved although the first page of their table is overwritten: %s',
    (table) => {
      const { path, output } = copy();
      overwrite(path, rootOf(table), GARBAGE);
      const { tables, faults } = repairDatabase(path, output);
      expect(faults).toEqual({});
      const found = tables.find((each) => each.table === table);
      // A table without ids has a few rows on its first page.
      expect(found?.lost).toBeLessThan(20);
      expect((found?.saved ?? 0) + (found?.lost ?? 0)).toBe(contentOf(template).get(table)?.length);
    },
  );

  it('a damaged index loses nothing', () => {
    const { path, output } = copy();
    overwrite(path, rootOf('job_workflow'), GARBAGE);
    expect(Object.keys(checkDatabase(path).faults)).toEqual(['pages']);
    expect(repairDatabase(path, output).tables.filter(({ lost }) => lost > 0)).toEqual([]);
    expect(contentOf(output)).toEqual(contentOf(template));
  });

  it('a damaged list of unused pages hides no row, neither in a tree that leads to it nor where its tree is damaged', () => {
    const { path, output, folder } = copy();
    const content = readFileSync(path);
    // Any page of the table, as a trunk that names all others.
    const trunk = Buffer.alloc(PAGE);
    const count = Math.min(content.length / PAGE - 2, 1_022);
    trunk.writeUInt32BE(count, 4);
    for (let index = 0; index < count; index += 1) trunk.writeUInt32BE(index + 2, 8 + 4 * index);
    overwrite(path, rootOf('event'), trunk);
    writeNumber(path, { page: 1, at: 32, value: rootOf('event') });
    repairDatabase(path, output);
    expect(contentOf(output).get('job')).toEqual(contentOf(template).get('job'));

    copyFileSync(template, path);
    overwrite(path, rootOf('job'), trunk);
    writeNumber(path, { page: 1, at: 32, value: rootOf('job') });
    repairDatabase(path, join(folder, 'other.db'));
    expect(contentOf(join(folder, 'other.db')).get('job')).toEqual(contentOf(template).get('job'));
  });

  it('rows that were deleted with their pages do not come back when their table is damaged', () => {
    const { path, output } = copy();
    expect(readFileSync(path).readUInt32BE(36)).toBeGreaterThan(100);
    overwrite(path, rootOf('event'), GARBAGE);
    repairDatabase(path, output);
    expect(contentOf(output).get('event')).toEqual(contentOf(template).get('event'));
  });

  it('a head that promises more pages than the file has is not believed', () => {
    const { path, output } = copy();
    writeNumber(path, { page: 1, at: 28, value: 2 ** 32 - 1 });
    const pages = openPages(path);
    expect(pages.count).toBe(readFileSync(path).length / PAGE);
    pages.close();
    expect(repairDatabase(path, output).faults).toEqual({});
    expect(contentOf(output)).toEqual(contentOf(template));
  });

  it('a database without its first page is saved from the others', () => {
    const { path, output } = copy();
    overwrite(path, 1, GARBAGE);
    expect(repairDatabase(path, output).faults).toEqual({});
    expect(contentOf(output).get('job')).toEqual(contentOf(template).get('job'));
  });

  it('jobs whose workflow, requirements, class and runner are lost are saved with ones that say so', () => {
    const { path, output } = copy();
    for (const table of ['workflow', 'resource_requirements', 'job_class', 'compute_node'])
      overwrite(path, rootOf(table), GARBAGE);
    const { tables, faults } = repairDatabase(path, output);
    expect(faults).toEqual({});
    expect(tables.find(({ table }) => table === 'job')).toMatchObject({ saved: JOBS, lost: 0 });
    const db = new DatabaseSync(output, { readOnly: true });
    expect(db.prepare('select name from workflow').all()).toEqual([{ name: 'lost-1' }]);
    expect(db.prepare('select name from resource_requirements').all()).toEqual([{ name: 'lost-1' }]);
    expect(db.prepare('select count(*) as held from job where claimed_by is not null').get()).toEqual({ held: 0 });
    db.close();
  });

  it('ids of lost rows are not given again', () => {
    const { path, output } = copy();
    overwrite(path, rootOf('sqlite_sequence'), GARBAGE);
    repairDatabase(path, output);
    const db = new DatabaseSync(output);
    expect(
      db.prepare("insert into workflow (name, user, timestamp) values ('n', 'u', '2026')").run().lastInsertRowid,
    ).toBeGreaterThan(1_000_000);
    db.close();
  });

  it('commits that stand in the log alone are saved, and a half commit behind them is not', () => {
    const { path, output, folder } = copy();
    const db = openDatabase(path);
    db.run("pragma wal_autocheckpoint = 0; update workflow set name = 'later' where id = 2");
    copyFileSync(path, join(folder, 'killed.db'));
    writeFileSync(join(folder, 'killed.db-wal'), Buffer.concat([readFileSync(`${path}-wal`), Buffer.alloc(5_000, 7)]));
    db.close();
    repairDatabase(join(folder, 'killed.db'), output);
    expect(contentOf(output).get('workflow')?.join()).toContain('later');
  });

  it('a database of an older version gets the tables of this one', () => {
    const { folder, output } = copy();
    const path = join(folder, 'old.db');
    const db = new DatabaseSync(path);
    for (const { sql } of migrations.slice(0, 20)) db.exec(sql);
    db.exec("pragma user_version = 20; insert into workflow (name, user, timestamp) values ('old', 'u', '2026')");
    db.close();
    expect(repairDatabase(path, output).faults).toEqual({});
    expect(contentOf(output).get('workflow')?.join()).toContain('"old"');
  });

  it('whatever is overwritten or cut off, what is saved passes the check, was in the database, and is counted', () => {
    const before = new Map([...contentOf(template)].map(([table, rows]) => [table, new Set(rows)]));
    const pages = readFileSync(template).length / PAGE;
    const noise = fc.uint8Array({ minLength: PAGE, maxLength: PAGE }).map((some) => Buffer.from(some));
    const bytes = fc.oneof(fc.constant(GARBAGE), fc.constant(Buffer.alloc(PAGE)), noise);
    const first = readFileSync(template).readUInt32BE(32);
    // Any word in the head of the file but the version of its tables, and any in that of its list of unused pages.
    const field = fc.record({
      page: fc.constantFrom(1, first),
      at: fc.constantFrom(...Array.from({ length: 25 }, (_, word) => 4 * word).filter((at) => at !== 60)),
      value: fc.oneof(fc.integer({ min: 0, max: pages }), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
    });
    const damage = fc.record({
      fields: fc.array(field, { maxLength: 3 }),
      overwritten: fc.array(fc.tuple(fc.integer({ min: 1, max: pages }), bytes), { minLength: 1, maxLength: 12 }),
      kept: fc.oneof(
        { weight: 3, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.double({ min: 0.3, max: 1, noNaN: true }) },
      ),
    });
    // Where the list of unused pages is damaged, too, rows on them may come back.
    const isDeleted = (row: string) => row.includes('"data":"eee');
    fc.assert(
      fc.property(damage, ({ overwritten, fields, kept }) => {
        const { path, output, folder } = copy();
        for (const [number, some] of overwritten) overwrite(path, number, some);
        for (const each of fields) writeNumber(path, each);
        writeFileSync(path, readFileSync(path).subarray(0, Math.floor(readFileSync(path).length * kept)));
        const damaged = readFileSync(path);
        const { tables, faults } = repairDatabase(path, output);
        expect(faults).toEqual({});
        expect(readFileSync(path).equals(damaged)).toBe(true);
        for (const { table, saved, lost, isAtLeast } of tables) {
          const all = before.get(table)?.size ?? 0;
          if (!isAtLeast) expect([table, saved + lost >= all]).toEqual([table, true]);
        }
        const after = contentOf(output);
        for (const table of ['job_depends_on', 'file', 'event'])
          expect(after.get(table)?.filter((row) => before.get(table)?.has(row) !== true && !isDeleted(row))).toEqual(
            [],
          );
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 25 },
    );
  });
});

describe('what a repair refuses', () => {
  it('a disk with no room for the new database ends the repair, which says so and leaves nothing behind', () => {
    const { path, output, folder } = copy();
    // More than SQLite holds in memory.
    const db = openDatabase(path);
    db.run('insert into event (workflow_id, timestamp, data) select 2, id, hex(zeroblob(2000)) from job');
    db.close();
    const module = JSON.stringify(new URL('repair.ts', import.meta.url));
    const program = `import { repairDatabase } from ${module}; repairDatabase(${JSON.stringify(path)}, ${JSON.stringify(output)}, 'u')`;
    // Room for the tables, and not for the rows.
    const limited = ['-c', 'ulimit -f 1500; exec "$@"', 'bash', process.execPath, '--input-type=module', '-e', program];
    const { status, stderr } = spawnSync('bash', limited, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Refusal: cannot write ${output}: `)]);
    expect(readdirSync(folder)).toEqual(['torc.db']);
  });

  it('a file that is there is not written over, and a database that is missing, in use or of another program is refused', () => {
    const { path, output, folder } = copy();
    writeFileSync(output, 'mine');
    expect(() => repairDatabase(path, output)).toThrow('is there already');
    expect(readFileSync(output, 'utf8')).toBe('mine');
    const other = join(folder, 'other.db');
    expect(() => repairDatabase(join(folder, 'absent'), other)).toThrow('there is no database');
    const owned = ownDatabase(path, process.pid);
    expect(() => repairDatabase(path, other)).toThrow('is in use by torc-server');
    owned.release();
    writeFileSync(join(folder, 'text'), 'x'.repeat(20_000));
    expect(() => repairDatabase(join(folder, 'text'), other)).toThrow('has no table of torc');
    expect(existsSync(other)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['saved.db', 'text', 'torc.db']);
  });
});
