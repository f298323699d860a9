import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { openDatabase } from './database.ts';

const table = () => {
  const db = openDatabase(':memory:');
  db.run('create table note (id integer primary key autoincrement, text text, size integer) strict');
  return {
    db,
    insert: db.prepareInserts<{ text: string | null; size: number }>(
      'insert into note (text, size) values (:text, :size)',
    ),
    notes: db.prepare<Record<string, never>, { id: number; text: string | null; size: number }>('select * from note'),
  };
};

it('any number of rows is inserted in order, and the id of each is returned', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.record({ text: fc.option(fc.string()), size: fc.nat() }), { maxLength: 40 }), {
        maxLength: 4,
      }),
      (calls) => {
        const { insert, notes } = table();
        const expected = calls.flatMap((rows) => {
          const ids = insert(rows);
          return rows.map((row, index) => ({ id: ids[index], ...row }));
        });
        expect(notes.all({}).map((row) => ({ ...row }))).toEqual(expected);
      },
    ),
  );
});

it('named parameters are found in a statement, and quoted strings stay unchanged', () => {
  const db = openDatabase(':memory:');
  const query = db.prepare<{ a: string; b: string }, { text: string }>("select :b || ':a' || :a || :b as text");
  expect(query.get({ a: '7', b: 'x' })?.text).toBe('x:a7x');
});

it('a statement with a limit is planned once: it returns other numbers of rows without a new plan', () => {
  const db = openDatabase(':memory:');
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < 9) select i from n`;
  const some = db.prepare<{ limit: number; offset: number }, { i: number }>(
    `${numbers} order by i limit :limit offset :offset`,
  );
  // The planner asks which table it may read; execution does not.
  const asked = vi.fn(() => SQLITE_OK);
  db.guarded(asked, () => {
    expect(some.all({ limit: 2, offset: 3 }).map(({ i }) => i)).toEqual([3, 4]);
    // An authorizer that is new makes SQLite plan every statement again.
    asked.mockClear();
    expect(some.all({ limit: 1, offset: 0 }).map(({ i }) => i)).toEqual([0]);
    expect(asked).not.toHaveBeenCalled();
  });
});

const SQLITE_OK = 0;

it('a row is an object with the columns of its statement, however it is read', () => {
  const { insert, notes } = table();
  insert([
    { text: 'a', size: 1 },
    { text: null, size: 2 },
  ]);
  const rows = [
    { id: 1, text: 'a', size: 1 },
    { id: 2, text: null, size: 2 },
  ];
  expect(notes.all({})).toEqual(rows);
  expect([...notes.iterate({})]).toEqual(rows);
  expect(notes.get({})).toEqual(rows[0]);
});

it('a statement that finds no row returns undefined, an empty list and nothing to iterate', () => {
  const { notes } = table();
  expect(notes.get({})).toBeUndefined();
  expect(notes.all({})).toEqual([]);
  expect([...notes.iterate({})]).toEqual([]);
});

it('a statement over all columns has those that the table has now', () => {
  const { db, insert, notes } = table();
  insert([{ text: 'a', size: 1 }]);
  expect(notes.get({})).toEqual({ id: 1, text: 'a', size: 1 });
  db.run('alter table note drop column text');
  expect(notes.all({})).toEqual([{ id: 1, size: 1 }]);
  db.run("alter table note add column words text not null default 'w'");
  expect(notes.get({})).toEqual({ id: 1, size: 1, words: 'w' });
});
