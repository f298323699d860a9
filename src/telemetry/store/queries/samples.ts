import {
  cardOf,
  diskOf,
  jobSampleOf,
  type NamesByNumber,
  nodeSampleOf,
  type InEnvelopeOrder,
  processCardOf,
  processOf,
  sampleTimeOf,
  sampleSumOf,
  type SumsBy,
} from '../rows/samples.ts';
import { type CellsOfRow, numberCell, textCell } from '../rows/cells.ts';
import { sampleTables } from '../tables.ts';
import {
  type SampleSelection,
  type Bind,
  bound,
  type Dialect,
  type ItemTable,
  listed,
  type SampleRelation,
  type RowSource,
  type Sums,
} from './dialect.ts';

/** A statement in the words of each store, and what its rows say. */
export interface SampleQuery<Row> {
  /** Undefined where the store has no such rows. */
  readonly sql: (dialect: Dialect, asked: SampleSelection, bind: Bind) => string | undefined;
  readonly rowOf: (row: CellsOfRow, cluster: string, names?: NamesByNumber) => Row;
  /** Rows are in the order of time, or of nodes and of time on each. */
  readonly order: 'time' | 'node';
  /** Processes of two producers must not count twice. */
  readonly isOfProcesses?: boolean;
  /** Rows have lists of processes. */
  readonly hasLists?: boolean;
  /** The answer holds all rows. */
  readonly isHeld?: boolean;
}

const query = <Row>(of: SampleQuery<Row>): SampleQuery<Row> => of;

export type PlacedRow = InEnvelopeOrder<{ readonly node: string; readonly time: number }>;

/** The condition of all samples that are asked for. */
export function ofSamples(
  relation: SampleRelation,
  dialect: Dialect,
  { window, chosen }: SampleSelection,
  bind: Bind,
): string {
  const { node, nodes } = window;
  return [
    relation.where,
    ...(node === undefined ? [] : [dialect.ofNode(bind(node))]),
    ...(nodes === undefined ? [] : [`${dialect.node} between ${bind(nodes.first)} and ${bind(nodes.last)}`]),
    ...(chosen === undefined
      ? []
      : [`${dialect.node} || ' ' || ${dialect.source} in (${dialect.each(bind(JSON.stringify(chosen)))})`]),
  ].join(' and ');
}

/** The same of entries: those of one user, if it is named. */
const ofEntries = (relation: SampleRelation, dialect: Dialect, asked: SampleSelection, bind: Bind): string =>
  [
    ofSamples(relation, dialect, asked, bind),
    ...(asked.window.user === undefined ? [] : [dialect.ofUser(bind(asked.window.user))]),
  ].join(' and ');

/** A process that others were rolled up into has their number. */
const processCount = ({ sum }: Dialect): Sums => [
  [sum('case when p.ord is null then 0 when p.rolledup > 0 then 1 + p.rolledup else 1 end'), 'processes'],
];
const gpuUse = (dialect: Dialect): Sums => [
  [dialect.percent('g.util'), 'gpu_util'],
  ...dialect.amount('g.memory', 'gpu_memory'),
];

export const processes = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: processOf,
  sql: (dialect, asked, bind) => {
    const entries = dialect.entries(asked, bind);
    const use = dialect.beside('process_gpu', [...gpuUse(dialect), [dialect.names, 'cards']], {
      of: entries.of,
      keys: { slot: dialect.slot, ord: 'p.ord' },
    });
    return `
      select ${entries.columns}, ${dialect.node} as node, ${dialect.user} as "user", ${dialect.job}, ${dialect.epoch}, ${dialect.slot},
        p.ord, p.pid, p.ppid, ${dialect.cmd} as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup ${use.columns}
      from ${entries.from} ${use.join} where ${ofEntries(entries, dialect, asked, bind)}
      order by ${entries.order}, ${dialect.slot}, p.ord nulls first`;
  },
});

const AMOUNTS = ['rss', 'vm', 'threads', 'cpu_time', 'data_read', 'data_written', 'data_cancelled'];
const sumsOf = (dialect: Dialect): string =>
  listed([
    ...processCount(dialect),
    ...AMOUNTS.flatMap((column) => dialect.amount(`p.${column}`, column)),
    ...['cpu_avg', 'cpu_util'].map((column) => [dialect.percent(`p.${column}`), column] as const),
  ]);

/** Also of nodes without a process; what one user has of them is not asked for. */
const nodeSums = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: sampleSumOf,
  sql: (dialect, asked, bind) => {
    const samples = dialect.samples(asked, bind, { hasSource: true });
    return `
      select ${samples.columns}, ${dialect.node} as node, ${dialect.source} as source, ${sumsOf(dialect)}
      from ${samples.from} left join ${dialect.process} p on ${samples.of('p')} where ${ofSamples(samples, dialect, asked, bind)}
      ${dialect.groupBy([samples.order], [dialect.node, dialect.source])} order by ${samples.order}`;
  },
});

const entrySums = (isOfProcess: boolean): typeof nodeSums => ({
  order: 'time',
  isOfProcesses: true,
  rowOf: sampleSumOf,
  sql: (dialect, asked, bind) => {
    const entries = dialect.entries(asked, bind, { hasSource: true });
    const { node, source, user, job, epoch, slot, cmd } = dialect;
    const groups = isOfProcess
      ? dialect.groupBy([entries.order, slot, 'p.ord'], [node, source, job, epoch, user, 'p.pid', 'p.ppid', cmd])
      : dialect.groupBy([entries.order, job, epoch, user], [node, source]);
    return `
      select ${entries.columns}, ${node} as node, ${source} as source, ${job}, ${epoch}, ${user} as "user", ${sumsOf(dialect)}
        ${isOfProcess ? `, ${slot}, p.ord, p.pid, p.ppid, ${cmd} as cmd` : ''}
      from ${entries.from} where ${ofEntries(entries, dialect, asked, bind)} ${isOfProcess ? 'and p.ord is not null' : ''}
      ${groups} order by ${entries.order}`;
  },
});

export const sampleSums: Readonly<Record<SumsBy, typeof nodeSums>> = {
  node: nodeSums,
  job: entrySums(false),
  process: entrySums(true),
};

/** One row for all processes of an entry: a row for each costs ten times as much. */
export const jobSamples = query({
  order: 'time',
  isOfProcesses: true,
  hasLists: true,
  rowOf: jobSampleOf,
  sql: (dialect, asked, bind) => {
    const { node, user, job, epoch, slot, cmdName } = dialect;
    const entries = dialect.entries(asked, bind, { isAddedUp: true });
    const use = dialect.beside('process_gpu', gpuUse(dialect), {
      ...entries,
      keys: { slot: 'sums.slot' },
      rows: 'sums',
    });
    const name = `case when p.pid <> 0 then ${dialect.besideTexts('p.pid')} else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce(${cmdName}, '') end`;
    const sums: Sums = [
      ...processCount(dialect),
      ...dialect.amount('p.rss', 'rss'),
      [dialect.percent('p.cpu_avg'), 'cpu_avg'],
      ...dialect.lists([
        [name, 'names'],
        ['coalesce(p.ppid, 0)', 'ppids'],
        ['coalesce(p.cpu_time, 0)', 'cpu_times'],
      ]),
    ];
    const each = dialect.ofEach(sums, dialect.groupBy([entries.order, slot], [node, user, job, epoch]));
    return `
      with sums as (
        select ${entries.columns}, ${node} as node, ${user} as "user", ${job}, ${epoch}, ${slot}, ${each.columns}
        from ${entries.from} where ${ofEntries(entries, dialect, asked, bind)} ${each.groupBy}
      )
      select sums.* ${use.columns} from sums ${use.join} order by sums.time, sums.id, sums.slot`;
  },
});

export const processCards = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: processCardOf,
  sql: (dialect, asked, bind) => {
    const entries = dialect.entries(asked, bind);
    const cards = dialect.items('process_gpu', `${entries.of('g')} and g.slot = ${dialect.slot} and g.ord = p.ord`);
    if (cards === undefined) return undefined;
    return `
      select ${entries.columns}, ${dialect.node} as node, ${dialect.job}, ${dialect.epoch}, p.pid, ${cards.name} as uuid,
        g.util, g.memory, g.memory_util
      from ${entries.from} ${cards.join} where ${ofEntries(entries, dialect, asked, bind)}
      order by ${entries.order}, g.slot, g.ord, g.item`;
  },
});

/** In any order. */
export const sampleTimes = query({
  order: 'node',
  isHeld: true,
  rowOf: sampleTimeOf,
  sql: (dialect, asked, bind) => {
    const samples = dialect.samples(asked, bind);
    return `
      select ${samples.columns}, ${dialect.node} as node, ${dialect.system.alias}.boot
      from ${samples.from} ${dialect.system.join(samples.of)} where ${ofSamples(samples, dialect, asked, bind)}`;
  },
});

export const nodeSamples = query({
  order: 'node',
  rowOf: nodeSampleOf,
  sql: (dialect, asked, bind) => {
    const samples = dialect.samples(asked, bind);
    const use = 'case when g.ce_util < 0 then g.ce_util + 18446744073709551616.0 else coalesce(g.ce_util, 0) end';
    const sums: Sums = [
      ['count(*)', 'cards'],
      [`avg(${use})`, 'gpu_util'],
      ...dialect.amount('g.memory', 'gpu_memory'),
    ];
    const cards = dialect.beside('gpu_sample', sums, samples);
    const { alias: y, join, where } = dialect.system;
    return `
      select ${samples.columns}, ${dialect.node} as node, ${y}.used_memory, ${y}.cpus, ${y}.load1 ${cards.columns}
      from ${samples.from} ${join(samples.of)} ${cards.join} where ${ofSamples(samples, dialect, asked, bind)} and ${where}
      order by ${dialect.byNode}, ${samples.order}`;
  },
});

/** The rows of a table of items, with their names, of each node in the order of time. */
const itemsOf =
  (table: ItemTable, nameAs: string, finish: (dialect: Dialect, rows: string, order: string) => string) =>
  (dialect: Dialect, asked: SampleSelection, bind: Bind): string | undefined => {
    const samples = dialect.samples(asked, bind, { hasSource: true });
    const items = dialect.items(table, samples.of('g'));
    if (items === undefined) return undefined;
    const own = sampleTables[table].columns.filter(({ kind }) => kind !== 'name').map(({ column }) => `g.${column}`);
    const columns = `${dialect.node} as node, ${dialect.source} as source, ${items.name} as ${nameAs}, ${own.join(', ')}`;
    return finish(
      dialect,
      `select ${samples.columns}, ${columns} from ${samples.from} ${items.join} where ${ofSamples(samples, dialect, asked, bind)}`,
      `order by ${dialect.byNode}, ${samples.order}, g.item`,
    );
  };

export const cardSamples = query({
  order: 'node',
  rowOf: cardOf,
  sql: itemsOf('gpu_sample', 'uuid', (_dialect, rows, order) => `${rows} ${order}`),
});

/** Of each card and node. */
export const newestCards = query({
  order: 'node',
  rowOf: cardOf,
  sql: itemsOf('gpu_sample', 'uuid', ({ newest }, rows) => newest(rows)),
});

export const diskSamples = query({
  order: 'node',
  rowOf: diskOf,
  sql: itemsOf('disk_sample', 'disk', (_dialect, rows, order) => `${rows} ${order}`),
});

export const firstSamples: SampleQuery<readonly [node: string, time: number]> = {
  order: 'node',
  rowOf: (row) => [textCell(row, 'node'), numberCell(row, 'time')],
  sql: (dialect, asked, bind) => dialect.firstTimes(asked, bind),
};

/** The rows of a query for one cluster. */
export async function* answerOfSamples<Row>(
  source: RowSource,
  query: SampleQuery<Row>,
  asked: SampleSelection,
): AsyncGenerator<readonly Row[]> {
  const { dialect, read, partsOf } = source;
  const parts = query.hasLists === true ? await partsOf?.(asked) : undefined;
  for (const part of parts ?? [{}]) {
    const ofPart = { ...asked, window: { ...asked.window, ...part } };
    const { sql, values } = bound(dialect.mark, (bind) => query.sql(dialect, ofPart, bind));
    if (sql === undefined) return;
    yield* read(sql, values, (row, names) => query.rowOf(row, asked.cluster.name, names), query.isHeld);
  }
}
