import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import { type Dialect, listed } from '../queries/dialect.ts';
import type { ArchiveTableName } from './tables.ts';

/** What each table of items is among the files, and the column of its name. */
const ITEMS = {
  process_gpu: ['process_gpu', 'uuid'],
  gpu_sample: ['card', 'uuid'],
  disk_sample: ['disk', 'disk'],
} as const;

const unsigned = (value: Uint): string => `${BigInt(value)}::ubigint`;

/** The rows of a job, of processes as `p`. */
export const ofJobIn = ({ job, epoch }: JobKey): string =>
  `p.job = ${unsigned(job)}${epoch === undefined ? '' : ` and p.epoch = ${unsigned(epoch)}`}`;

/** A window may be without end. */
export const secondsLiteral = (time: number): string => String(Number.isSafeInteger(time) ? time : time > 0 ? 1e15 : 0);

export const inWindow = ({ from, until }: Pick<AskedWindow, 'from' | 'until'>): string =>
  `e.time >= ${secondsLiteral(from)} and e.time < ${secondsLiteral(until)}`;

export const ofNodeIn = (alias: string, name: string): string =>
  `(${alias}.node = ${name} or split_part(${alias}.node, '.', 1) = ${name})`;

/** The texts of a list in JSON, as rows. */
export const parquetTexts = (json: string): string => `select unnest(from_json(${json}, '["VARCHAR"]'))`;

const of = (alias: string, rows = 'e'): string => `${alias}.n = ${rows}.n`;
const sample = { columns: 'e.id, e.time, e.n', order: 'e.time, e.id', of };

/** The words of DuckDB for the files of closed days, as `table` gives them: rows with names, joined by the number of their sample. */
export const parquetDialect = (table: (name: ArchiveTableName) => string | undefined): Dialect => {
  const from = `${table('sample')} e`;
  const processes = table('process') ?? '';
  return {
    mark: '$',
    node: 'e.node',
    byNode: 'e.node',
    source: 'e.source',
    user: 'p."user"',
    job: 'p.job',
    epoch: 'p.epoch',
    slot: 'p.slot',
    cmd: 'p.cmd',
    cmdName: 'p.cmd',

    samples: (asked) => ({
      ...sample,
      from,
      where: `${inWindow(asked.window)}${asked.key === undefined ? '' : ` and e.n in (select p.n from ${processes} p where ${ofJobIn(asked.key)})`}`,
    }),
    entries: (asked) => ({
      ...sample,
      from: `${processes} p join ${from} on e.n = p.n`,
      where: `${inWindow(asked.window)}${asked.key === undefined ? '' : ` and ${ofJobIn(asked.key)}`}`,
    }),
    groupBy: () => 'group by all',
    ofEach: (sums, groupBy) => ({ columns: listed(sums), groupBy }),
    system: { alias: 'e', join: () => '', where: 'e.has_system' },
    process: processes,
    items: (name, on) => {
      const [file, column] = ITEMS[name];
      const items = table(file);
      return items === undefined ? undefined : { join: `join ${items} g on ${on}`, name: `g.${column}` };
    },
    beside: (name, sums, { of: same, keys = {}, rows }) => {
      const items = table(ITEMS[name][0]);
      if (items === undefined) return { columns: '', join: '' };
      const own = ['n', ...Object.keys(keys)].join(', ');
      return {
        columns: sums.map(([, each]) => `, b.${each}`).join(''),
        join: `left join (
          select ${own}, ${listed(sums)} from ${items} g
          ${rows === undefined ? '' : `where n in (select n from ${rows})`} group by ${own}
        ) b on ${[same('b', rows), ...Object.entries(keys).map(([key, value]) => `b.${key} = ${value}`)].join(' and ')}`,
      };
    },
    newest: (cards) => `select distinct on (node, uuid) * from (${cards}) order by node, uuid, time desc, id desc`,
    firstTimes: (asked) =>
      `select e.node, min(e.time) as time from ${from} where ${inWindow(asked.window)} group by e.node`,

    ofNode: (name) => ofNodeIn('e', name),
    ofUser: (name) => `p."user" = ${name}`,
    each: parquetTexts,
    amount: (column, name) => [[`sum(${column})`, name]],
    sum: (value) => `sum(${value})`,
    percent: (column) => `sum(${column})`,
    // DuckDB would sort each list in memory of its own: thousands of them are more than it may use.
    lists: (values) =>
      [['p.ord', 'ords'] as const, ...values].map(([value, name]) => [
        `list(${value}) filter (where p.ord is not null)`,
        name,
      ]),
    besideTexts: (number) => `cast(${number} as text)`,
    names: `string_agg(g.uuid, ' ' order by g.item)`,
  };
};
