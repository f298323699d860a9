import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { SampleAttributes, SampleJob } from '../../../core/contract/sonar/sample.ts';
import { parseTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { toInteger } from '../rows/numbers.ts';
import {
  type ColumnKind,
  type Fields,
  type SampleColumn,
  type SampleNames,
  type SampleTableName,
  sampleTableNames,
  sampleTables,
} from '../tables.ts';
import type { NameTable } from './names.ts';
import { type Columns, typedColumns, type ColumnType, type RowWriter } from './row-writer.ts';

/** The names that the rows of a sample refer to. */
export type NamesOf = Readonly<Record<NameTable, Set<string>>>;
export type IdsOf = Readonly<Record<NameTable, ReadonlyMap<string, number>>>;

export function collectNames(sample: SampleAttributes, names: NamesOf): void {
  for (const { user } of sample.jobs ?? []) names.user.add(user);
  for (const { columns, rowsOf } of Object.values(sampleTables)) {
    const named = columns.filter(({ kind }) => kind === 'name');
    if (named.length === 0) continue;
    for (const [, fields] of rowsOf(sample))
      for (const { column, field } of named) {
        const name = fields[field] as string | undefined;
        if (name !== undefined && name !== '') names[column as SampleNames].add(name);
      }
  }
}

/** A sample that is stored, and where its rows belong. */
export interface StoredSample {
  readonly sample: SampleAttributes;
  readonly time: number;
  readonly envelope: bigint;
  readonly cluster: number;
  readonly node: number | null;
}

/** The types of columns, which are also those of their tables. */
export const columnTypes: Readonly<Record<ColumnKind, ColumnType>> = {
  uint: 'int8',
  int: 'int8',
  float: 'float8',
  flag: 'bool',
  text: 'text',
  uints: 'int8[]',
  seconds: 'int8',
  zone: 'int4',
  name: 'int4',
};

/** The columns of a table in the order in which they are copied. Processes have those of their job beside their own. */
export function copiedColumns(name: SampleTableName): Columns {
  const { keys, columns } = sampleTables[name];
  return {
    ...typedColumns('int8', 'time envelope'),
    ...(keys.length === 0 ? {} : typedColumns('int4', keys.join(' '))),
    ...Object.fromEntries(columns.map(({ column, kind }) => [column, columnTypes[kind]])),
    ...(name === 'process'
      ? { ...typedColumns('int4', 'cluster node "user"'), ...typedColumns('int8', 'job epoch') }
      : undefined),
  };
}
const counts = Object.fromEntries(
  sampleTableNames.map((name) => [name, Object.keys(copiedColumns(name)).length]),
) as Readonly<Record<SampleTableName, number>>;

/** Writes the rows of a sample. An entry of a job without a process is a row too, without a place of the process. */
export function writeSample(name: SampleTableName, out: RowWriter, stored: StoredSample, ids: IdsOf): void {
  const { keys, columns, rowsOf } = sampleTables[name];
  const { sample, time, envelope } = stored;
  const row = (places: readonly (number | null)[], fields: Fields) => {
    out.row(counts[name]);
    out.int8(time);
    out.int8(envelope);
    for (const index of keys.keys()) out.int4(places[index] ?? null);
    // Most rows of a store are these: their values go to the writer one by one, and no list is made of them.
    for (const column of columns) writeCell(out, column, fields[column.field], ids);
  };
  if (name !== 'process') for (const [places, fields] of rowsOf(sample)) row(places, fields);
  else
    for (const [slot, job] of (sample.jobs ?? []).entries()) {
      const { processes = [] } = job;
      for (const [ord, fields] of processes.entries()) {
        row([slot, ord], fields);
        writeJob(out, stored, job, ids);
      }
      if (processes.length > 0) continue;
      row([slot], {});
      writeJob(out, stored, job, ids);
    }
}

function writeJob(out: RowWriter, { cluster, node }: StoredSample, { job, epoch, user }: SampleJob, ids: IdsOf): void {
  out.int4(cluster);
  out.int4(node);
  out.int4(ids.user.get(user) ?? 0);
  out.int8(toInteger(job) ?? 0);
  out.int8(toInteger(epoch) ?? 0);
}

function writeCell(out: RowWriter, { column, kind }: SampleColumn, value: unknown, ids: IdsOf): void {
  if (value === undefined || (value === '' && kind !== 'text')) return out.null();
  switch (kind) {
    case 'uint':
    case 'int':
      return out.int8(toInteger(value as Uint));
    case 'float':
      return out.float8(value === 0 ? null : (value as number));
    case 'name':
      return out.int4(ids[column as SampleNames].get(value as string) ?? 0);
    case 'flag':
      return out.bool(value === true ? true : null);
    case 'text':
      return out.text(value as string);
    case 'seconds':
      return out.int8(parseTimestamp(value as string)?.seconds ?? null);
    case 'zone':
      return out.int4(parseTimestamp(value as string)?.offsetMinutes ?? null);
    case 'uints': {
      const list = (value as readonly Uint[]).map((each) => toInteger(each) ?? 0);
      return list.length === 0 ? out.null() : out.int8s(list);
    }
  }
}
