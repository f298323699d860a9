import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { sampleProcess, sampleSystem } from '../../../core/contract/sonar/sample.ts';
import { columnsOf, type PlacedColumn, sampleTables } from '../tables.ts';
import { additions, SCHEMA } from './schema.ts';

const later: readonly PlacedColumn[] = [
  ...columnsOf(sampleProcess, {}, { container: 'in_container', cpu_avg: 'cpu_avg' }).map((column) => ({
    ...column,
    table: 'process' as const,
  })),
  ...columnsOf(sampleSystem, {}, { boot: 'boot' }).map((column) => ({ ...column, table: 'node_sample' as const })),
];

it('a store of an earlier release gets the columns that came later, and one that has them nothing', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  const columns = database.prepare('select 1 from pragma_table_info(?) where name = ?');
  const has = (table: string, column: string) => columns.get(table, column) !== undefined;
  expect(additions(has, later)).toBe('');
  for (const { table, column } of later) database.exec(`alter table ${table} drop column ${column}`);
  expect(additions(has, later)).toBe(
    [
      'alter table process add column container integer;',
      'alter table process add column cpu_avg any;',
      'alter table node_sample add column boot integer;',
      'alter table node_sample add column boot_zone integer;',
    ].join('\n'),
  );
  database.exec(additions(has, later));
  expect(additions(has, later)).toBe('');
});

it('columns that came later stand behind those of the first release of their table', () => {
  const [first, second, ...others] = columnsOf(sampleProcess, { pid: 'pid' }, { ppid: 'ppid' });
  expect([first?.isLater, second?.isLater, others]).toEqual([false, true, []]);
  for (const { columns } of Object.values(sampleTables)) {
    const begin = columns.findIndex(({ isLater }) => isLater);
    expect(columns.slice(begin === -1 ? columns.length : begin).every(({ isLater }) => isLater)).toBe(true);
  }
});
