import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { tarOf } from '../../scripts/artefacts/archive.ts';
import { addLibraries } from '../../src/operations/self/add.ts';
import { checkDatabase } from '../../src/server/check/check.ts';
import { repairDatabase } from '../../src/server/check/repair/repair.ts';
import { type Database, openDatabase } from '../../src/server/store/database.ts';
import { migrateDatabase } from '../../src/server/store/migrate.ts';
import { migrations } from '../../src/server/store/migrations.gen.ts';
import { temporaryFolder } from '../support/programs.ts';

/** What public reports say about damaged databases, the way back to an older release, and libraries that come apart from a program. */

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = temporaryFolder();
});

const WORKFLOW = "insert into workflow (id, name, user, timestamp) values (1, 'w', 'u', '2026')";
const events = (count: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
   insert into event (workflow_id, timestamp, data) select 1, i, 'event ' || i from n`;

function make(name: string, change: (db: Database) => void): string {
  const db = openDatabase(at(name));
  migrateDatabase(db);
  change(db);
  db.close();
  return at(name);
}

function read(path: string, sql: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = Object.values(db.prepare(sql).get() ?? {})[0];
  db.close();
  return row;
}

/** Puts a page of one file into another. */
function replacePage(path: string, number: number, page: Buffer): void {
  const content = readFileSync(path);
  page.copy(content, (number - 1) * 4096);
  writeFileSync(path, content);
}

test('https://github.com/gotify/server/issues/835: an index that lacks entries, whose database .recover and a dump did not save, loses nothing', () => {
  const path = make('torc.db', (db) => {
    db.run(`${WORKFLOW}; ${events(20)}`);
  });
  copyFileSync(path, at('before.db'));
  const db = openDatabase(path);
  db.run("insert into event (workflow_id, timestamp, data) values (1, 21, 'later')");
  db.close();
  const root = Number(read(path, "select rootpage from sqlite_schema where name = 'event_workflow'"));
  replacePage(path, root, readFileSync(at('before.db')).subarray((root - 1) * 4096, root * 4096));
  expect(checkDatabase(path).faults['pages']?.sentences.join()).toContain('wrong # of entries in index event_workflow');
  const { tables, faults } = repairDatabase(path, at('saved.db'), 'u');
  expect([faults, tables.find(({ table }) => table === 'event')]).toEqual([
    {},
    { table: 'event', saved: 21, lost: 0, isAtLeast: false },
  ]);
});

test('https://github.com/ajslater/codex/issues/80: rows of pages that no other leads to have the columns of their table, also where those came later', () => {
  // As an earlier release left it: without the columns that tables got since then.
  const old = new DatabaseSync(at('torc.db'));
  for (const { sql } of migrations.slice(0, 20)) old.exec(sql);
  old.exec(`pragma user_version = 20; ${WORKFLOW};
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 900)
    insert into file (workflow_id, name, path) select 1, 'f' || i, 'out/' || i from n`);
  old.close();
  const db = openDatabase(at('torc.db'));
  migrateDatabase(db);
  db.close();
  replacePage(
    at('torc.db'),
    Number(read(at('torc.db'), "select rootpage from sqlite_schema where name = 'file'")),
    Buffer.alloc(4096, 0xa5),
  );
  const { tables, unassigned } = repairDatabase(at('torc.db'), at('saved.db'), 'u');
  expect(tables.find(({ table }) => table === 'file')).toEqual({
    table: 'file',
    saved: 900,
    lost: 0,
    isAtLeast: false,
  });
  expect(unassigned).toBe(0);
  expect(read(at('saved.db'), "select count(*) from file where temporary is null and path = 'out/' || id")).toBe(900);
});

test('https://github.com/kagent-dev/kagent/issues/1881: an older release that lacks the newer migrations starts, where those allow it', () => {
  const path = make('torc.db', (db) =>
    db.run(
      `${WORKFLOW}; alter table workflow add column of_later text; pragma user_version = ${migrations.length + 1}`,
    ),
  );
  const db = openDatabase(path);
  migrateDatabase(db);
  expect(db.prepare<Record<string, never>, object>('select name, of_later from workflow').all({})).toEqual([
    { name: 'w', of_later: null },
  ]);
  db.close();
});

test('https://github.com/syncthing/syncthing/issues/4994: after a way back and forth no migration is applied a second time', () => {
  const later = migrations.length + 1;
  const path = make('torc.db', (db) => db.run(`${WORKFLOW}; pragma user_version = ${later}`));
  // The older release works on it, and says nothing else about its tables.
  const db = openDatabase(path);
  migrateDatabase(db, path, () => expect.fail('the tables change'));
  db.run("update workflow set name = 'changed by the older one'");
  db.close();
  expect(read(path, 'pragma user_version')).toBe(later);
});

test('https://github.com/evanw/esbuild/issues/2720: a library with a scope is fetched by the name that registries have for its archive', async () => {
  const manifest = JSON.stringify({ name: '@some/linux', version: '1.0.0', main: 'main.js' });
  const archive = gzipSync(tarOf(new Map([['package.json', { content: Buffer.from(manifest) }]]), 'package', 0));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/@some/linux/-/linux-1.0.0.tgz') response.end(archive);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const added = await addLibraries('mail', {
    folder: at('additions'),
    from: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wanted: [{ path: 'node_modules/@some/linux', version: '1.0.0', integrity }],
  });
  expect(asked).toEqual(['/@some/linux/-/linux-1.0.0.tgz']);
  expect(readFileSync(join(added.folder, 'node_modules/@some/linux/package.json'), 'utf8')).toBe(manifest);
});
