import { describe, expect, it } from 'vitest';
import { checkStatement } from './statement.ts';

const checked =
  (sql: string, allowed: { write?: boolean; fullTable?: boolean } = {}) =>
  () => {
    checkStatement(sql, { write: false, fullTable: false, ...allowed });
  };

describe('a reading statement', () => {
  it.each([
    'select * from job',
    ' SELECT 1; ',
    'with t as (select 1) select * from t',
    'values (1)',
    'explain query plan select 1',
    "select ';' -- ; here; too",
    'select /* ; */ "a;b" from t;;',
  ])('the reading statement %s is accepted', (sql) => expect(checked(sql)).not.toThrow());

  it.each([
    ['', 'SQL statement is empty'],
    [' ; -- nothing', 'SQL statement is empty'],
    ['select 1; select 2', 'Only a single SQL statement is allowed'],
    ['delete from job where id = 1', 'found DELETE; a statement that changes rows needs write=true'],
    ['pragma user_version', 'found PRAGMA'],
    ['"select" 1', 'found "SELECT"'],
  ])('the reading statement %s is refused', (sql, words) => {
    if (sql.startsWith('"')) words = words.replace('SELECT', 'select');
    expect(checked(sql)).toThrow(words);
  });
});

describe('a writing statement', () => {
  it.each([
    'update job set priority = 1 where id = 2',
    'delete from job where id in (select 1)',
    'insert into event (workflow_id) values (1) on conflict do update set data = 1',
    'replace into t values (1)',
    'with old as (select id from job) delete from job where id in old',
    '/* mine */ create table mine (id integer)',
  ])('the writing statement %s is accepted', (sql) => expect(checked(sql, { write: true })).not.toThrow());

  it.each([
    'update job set priority = 1',
    'delete from job -- where id = 1',
    "update job set name = ' where '",
    'update job set priority = (select 1 where true)',
    'with t as (select 1 where 1) delete from job',
    'update job set "where" = 1',
  ])('%s has no WHERE of its own and is refused unless the whole table is allowed', (sql) => {
    expect(checked(sql, { write: true })).toThrow('no WHERE clause. Pass allow_full_table=true');
    expect(checked(sql, { write: true, fullTable: true })).not.toThrow();
  });

  it.each([
    ['drop table job', 'DROP (DDL) statements are not allowed'],
    ['alter table job add x', 'ALTER (DDL) statements are not allowed'],
    ['vacuum', 'VACUUM (DDL) statements are not allowed'],
    ["attach 'x' as y", 'ATTACH statements are not allowed'],
    ['pragma foreign_keys = off', 'PRAGMA statements are not allowed'],
    ['commit', 'COMMIT statements are not allowed'],
    ['insert or rollback into t values (1)', 'OR ROLLBACK is not allowed'],
    ['update job set name = 1 where id = 1; delete from job', 'Only a single SQL statement'],
  ])('the writing statement %s is refused', (sql, words) => {
    expect(checked(sql, { write: true, fullTable: true })).toThrow(words);
  });
});
