import type { SQLInputValue } from 'node:sqlite';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { SampleAttributes } from '../../../core/contract/sonar/sample.ts';
import { parseTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { packUints, toInteger, toThousandths } from '../rows/numbers.ts';
import {
  type ColumnKind,
  type Fields,
  type SampleColumn,
  type SampleNames,
  type SampleTableName,
  sampleTableNames,
  sampleTables,
} from '../tables.ts';
import type { StoreDatabase } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { jobSums } from './job-sums.ts';

const inserts = Object.fromEntries(
  sampleTableNames.map((name) => {
    const { keys, columns } = sampleTables[name];
    const names = ['envelope', ...keys, ...columns.map(({ column }) => column)];
    return [name, `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`];
  }),
) as Readonly<Record<SampleTableName, string>>;

const write: Readonly<Record<Exclude<ColumnKind, 'name'>, (value: unknown) => SQLInputValue>> = {
  uint: (value) => toInteger(value as Uint),
  int: (value) => toInteger(value as Uint),
  float: (value) => toThousandths(value as number),
  flag: (value) => (value === true ? 1 : null),
  text: (value) => value as string,
  uints: (value) => packUints(value as readonly Uint[]),
  seconds: (value) => parseTimestamp(value as string)?.seconds ?? null,
  zone: (value) => parseTimestamp(value as string)?.offsetMinutes ?? null,
};

/** Writes samples into their tables, with the names that they refer to. */
export class SampleWriter {
  readonly #db: StoreDatabase;
  readonly #users: Dictionary;
  readonly #names: Readonly<Record<SampleNames, Dictionary>>;

  constructor(db: StoreDatabase) {
    this.#db = db;
    this.#users = new Dictionary(db, 'user');
    this.#names = {
      cmd: new Dictionary(db, 'cmd'),
      gpu: new Dictionary(db, 'gpu'),
      disk: new Dictionary(db, 'disk'),
    };
  }

  forget(): void {
    for (const each of [this.#users, ...Object.values(this.#names)]) each.forget();
  }

  write(id: number, sample: SampleAttributes): void {
    for (const name of sampleTableNames) {
      const { columns, rowsOf } = sampleTables[name];
      for (const [places, fields] of rowsOf(sample))
        this.#db.run(inserts[name], id, ...places, ...columns.map((column) => this.#valueOf(column, fields)));
    }
    for (const [slot, { job, epoch, user, processes = [] }] of (sample.jobs ?? []).entries()) {
      this.#db.run(
        'insert into sample_job values (?, ?, ?, ?, ?)',
        id,
        slot,
        toInteger(job) ?? 0,
        toInteger(epoch) ?? 0,
        this.#users.idOf(user),
      );
      const sums = jobSums(processes);
      if (sums !== undefined)
        this.#db.run(
          'insert into job_sums values (?, ?, ?, ?, ?)',
          id,
          slot,
          BigInt(sums.rssKb),
          sums.cpuAvg,
          sums.counters,
        );
    }
  }

  #valueOf({ column, field, kind }: SampleColumn, fields: Fields): SQLInputValue {
    const value = fields[field];
    if (value === undefined || value === '') return kind === 'text' ? (value ?? null) : null;
    return kind === 'name' ? this.#names[column as SampleNames].idOf(value as string) : write[kind](value);
  }
}
