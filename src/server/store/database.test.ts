import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from './database.ts';

const table = () => {
  const db = openDatabase(':memory:');
  db.run('create table note (id integer primary key autoincrement, text text, size integer) strict');
  return {
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
