import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import {
  type JobFilter,
  type AttemptLink,
  linkOf,
  type NodeInfo,
  type SelectedSlurmJobs,
  type SlurmJobRow,
  slurmJobRowOf,
} from '../rows/records.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import { type CellsOfRow, numberCell, optional, textCell, storedJson } from '../rows/cells.ts';
import { type Bind, bound, type Cluster, jobCondition, ofNode, storedNumber } from './selection.ts';

/** Tables of SQLite and of PostgreSQL. */
export interface RecordTables {
  /** What stands before the number of a value. */
  readonly mark: '?' | '$';
  /** What stands before the name of a table. */
  readonly schema: '' | 'sonar.';
  /** The order of texts by their bytes. */
  readonly byBytes: (column: string) => string;
  readonly each: (json: string) => string;
  /** The newest sample of a node `n` before a time that is not among the envelopes. */
  readonly newestElsewhere: (until: string) => string;
  readonly all: (sql: string, values: readonly unknown[]) => Promise<readonly CellsOfRow[]>;
}

type Attributes = Readonly<Record<string, unknown>>;
const attributesIn = (row: CellsOfRow | undefined): Attributes =>
  (typeof row?.['text'] === 'string' ? storedJson(row['text']) : {}) as Attributes;

/** Reads what is not of samples: sysinfo, states of clusters, records of Slurm jobs, and links. */
export class RecordQueries {
  readonly #tables: RecordTables;

  constructor(tables: RecordTables) {
    this.#tables = tables;
  }

  #select(write: (bind: Bind, tables: RecordTables) => string): Promise<readonly CellsOfRow[]> {
    const { sql, values } = bound(this.#tables.mark, (bind) => write(bind, this.#tables));
    return this.#tables.all(sql, values);
  }

  /** Each node with its newest sysinfo and its newest sample before `until`, by name. */
  async sysinfo(
    { id, name }: Cluster,
    { node, until }: AskedWindow,
  ): Promise<(NodeInfo & { readonly elsewhere?: number | undefined })[]> {
    const rows = await this.#select((bind, { schema, byBytes, newestElsewhere }) => {
      const end = bind(until);
      const newest = (column: string) => `
        select ${column} from ${schema}envelope i left join ${schema}content c on c.id = i.content
        where i.node = n.id and i.type = 'sysinfo' and i.time < ${end} order by i.time desc, i.id desc limit 1`;
      return `
        select n.name as node, (${newest('i.time')}) as time, (${newest('c.text')}) as text,
          (select max(s.time) from ${schema}envelope s where s.node = n.id and s.type = 'sample' and s.time < ${end}) as sampled,
          (${newestElsewhere(end)}) as elsewhere
        from ${schema}node n where n.cluster = ${bind(id)} ${node === undefined ? '' : `and ${ofNode(bind(node))}`}
        order by ${byBytes('n.name')}`;
    });
    return rows.map((row) => ({
      cluster: name,
      node: textCell(row, 'node'),
      time: optional(row, 'time'),
      sampled: optional(row, 'sampled'),
      elsewhere: optional(row, 'elsewhere'),
      info: attributesIn(row),
    }));
  }

  async clusterState(cluster: string, until: number): Promise<Attributes> {
    const [row] = await this.#select(
      (bind, { schema }) => `
        select b.text from ${schema}envelope e join ${schema}cluster c on c.id = e.cluster join ${schema}content b on b.id = e.content
        where c.name = ${bind(cluster)} and e.type = 'cluster' and e.time < ${bind(until)} order by e.time desc, e.id desc limit 1`,
    );
    return attributesIn(row);
  }

  async slurmJobs({ id, name }: Cluster, { from, until }: AskedWindow): Promise<SlurmJobRow[]> {
    const rows = await this.#select(
      (bind, { schema }) => `
        select * from ${schema}job where cluster = ${bind(id)} and step = '' and seen >= ${bind(from)}
          and coalesce(submit, seen) < ${bind(until)} order by job_id`,
    );
    return rows.map((row) => slurmJobRowOf(row, name));
  }

  async slurmJob({ id, name }: Cluster, job: Uint): Promise<SlurmJobRow[]> {
    const rows = await this.#select(
      (bind, { schema, byBytes }) =>
        `select * from ${schema}job where cluster = ${bind(id)} and job_id = ${bind(storedNumber(job))} order by ${byBytes('step')}`,
    );
    return rows.map((row) => slurmJobRowOf(row, name));
  }

  async links({ id, name }: Cluster, key: JobKey): Promise<AttemptLink[]> {
    const rows = await this.#select(
      (bind, { schema }) => `
        select l.*, n.name as node_name from ${schema}link l join ${schema}node n on n.id = l.node
        where l.cluster = ${bind(id)} and ${jobCondition('l', key, bind)} order by l.time, l.pid`,
    );
    return rows.map((row) => linkOf(row, name));
  }

  async selectedJobs({ id, name }: Cluster, filter: JobFilter): Promise<SelectedSlurmJobs> {
    const { offset, limit } = filter;
    const selected = (bind: Bind, { schema, each }: RecordTables) =>
      `from ${schema}job where ${[`cluster = ${bind(id)} and step = ''`, ...conditionsOf(filter, bind, each)].join(' and ')}`;
    const [count = {}] = await this.#select((bind, tables) => `select count(*) as total ${selected(bind, tables)}`);
    const rows = await this.#select(
      (bind, tables) => `
        select * ${selected(bind, tables)} order by submit desc nulls last, job_id < 0 desc, job_id desc
        limit ${bind(limit)} offset ${bind(offset)}`,
    );
    return { total: numberCell(count, 'total'), jobs: rows.map((row) => slurmJobRowOf(row, name)) };
  }
}

/** What each part of a filter asks of a row. A job that has not ended lasts until now. */
function conditionsOf(filter: JobFilter, bind: Bind, each: RecordTables['each']): string[] {
  const { user, states, job, now } = filter;
  const lasts = () => `coalesce("end", ${bind(now)}) - start`;
  const compared: readonly [name: keyof JobFilter, left: () => string, sign: string][] = [
    ['submitAfter', () => 'coalesce(submit, seen)', '>='],
    ['submitBefore', () => 'coalesce(submit, seen)', '<='],
    ['startAfter', () => 'start', '>='],
    ['startBefore', () => 'start', '<='],
    ['endAfter', () => '"end"', '>='],
    ['endBefore', () => '"end"', '<='],
    ['leastSeconds', lasts, '>='],
    ['mostSeconds', lasts, '<='],
  ];
  return [
    ...(user === undefined ? [] : [`"user" = ${bind(user)}`]),
    ...(states === undefined ? [] : [`state in (${each(bind(JSON.stringify(states)))})`]),
    ...(job === undefined ? [] : [`job_id = ${bind(storedNumber(job))}`]),
    ...compared.flatMap(([name, left, sign]) =>
      filter[name] === undefined ? [] : [`${left()} ${sign} ${bind(filter[name])}`],
    ),
  ];
}
