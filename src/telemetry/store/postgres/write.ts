import { createHash } from 'node:crypto';
import { exactJson } from '../../../core/contract/sonar/encode.ts';
import type { JobsAttributes } from '../../../core/contract/sonar/jobs.ts';
import type { SampleAttributes } from '../../../core/contract/sonar/sample.ts';
import { dayOf } from '../days.ts';
import { toInteger } from '../rows/numbers.ts';
import { sampleTableNames, sampleTables } from '../tables.ts';
import type { PgConnection } from './connection.ts';
import { Days } from './days.ts';
import { type JobRecord, mergeJobs } from './merge-jobs.ts';
import { keyOf, type ReceivedEnvelope } from './message.ts';
import { PostgresNames, type NameTable } from './names.ts';
import { typedColumns, type CopyValue } from './row-writer.ts';
import { PlannerStatistics } from './statistics.ts';
import {
  collectNames,
  copiedColumns,
  type IdsOf,
  type NamesOf,
  type StoredSample,
  writeSample,
} from './sample-rows.ts';

/** Writers hold this lock together; a program that prunes waits for them and holds it alone. */
export const WRITERS_LOCK = 7_350_621_003;

/** Writes messages into the tables. */
export class PostgresWriter {
  readonly days: Days;
  readonly #db: PgConnection;
  readonly #names: Readonly<Record<NameTable, PostgresNames>>;
  readonly #nodes = new Map<string, number>();
  readonly #statistics: PlannerStatistics;

  constructor(db: PgConnection) {
    this.#db = db;
    this.days = new Days(db);
    this.#statistics = new PlannerStatistics(db);
    const names = (table: NameTable) => new PostgresNames(db, table);
    this.#names = {
      user: names('user'),
      cmd: names('cmd'),
      gpu: names('gpu'),
      disk: names('disk'),
      source: names('source'),
    };
  }

  /**
   * Stores the messages of a call in one transaction, and gives the places of those that the store did not have. `more` is
   * executed in the same transaction.
   */
  async write(
    messages: readonly ReceivedEnvelope[],
    received: number,
    more: () => Promise<void>,
  ): Promise<ReadonlySet<number>> {
    // Of equal messages in one call the first counts.
    const first = new Map<string, ReceivedEnvelope>();
    for (const message of messages) if (!first.has(keyOf(message))) first.set(keyOf(message), message);
    const distinct = [...first.values()];
    await this.days.ensure(
      distinct.map(({ time }) => dayOf(time)),
      received,
    );
    const ids = await this.#idsFor(distinct);
    const nodes = await this.nodesOf(
      distinct.flatMap(({ cluster, node }) => (node === undefined ? [] : [{ cluster, name: node }])),
    );
    const written = await this.#db.transaction(async () => {
      await this.#db.query('select pg_advisory_xact_lock_shared($1)', WRITERS_LOCK);
      const contents = await this.#contentsFor(distinct);
      const stored = await this.#writeLedger(distinct, received, { ids, nodes, contents });
      await this.#writeSamples(stored, ids, nodes);
      await this.#openDays(stored);
      await this.#writeJobs(stored, contents);
      await more();
      return stored;
    });
    // It is stored: whether the planner knows of it must not change the answer.
    await this.#statistics.report(rowsByDay(written)).catch(() => {});
    return new Set(written.map(({ message }) => message.index));
  }

  async #idsFor(messages: readonly ReceivedEnvelope[]): Promise<IdsOf> {
    const names: NamesOf = { user: new Set(), cmd: new Set(), gpu: new Set(), disk: new Set(), source: new Set() };
    for (const { envelope, source, type } of messages) {
      names.source.add(source);
      if (type === 'sample') collectNames(envelope.data?.attributes as SampleAttributes, names);
    }
    return this.idsOf(names);
  }

  /** The numbers of names, each in its dictionary. */
  async idsOf<Table extends NameTable>(
    names: Readonly<Record<Table, ReadonlySet<string>>>,
  ): Promise<Readonly<Record<Table, ReadonlyMap<string, number>>>> {
    const ids: Partial<Record<Table, ReadonlyMap<string, number>>> = {};
    for (const table of Object.keys(names) as Table[]) ids[table] = await this.#names[table].idsOf(names[table]);
    return ids as Record<Table, ReadonlyMap<string, number>>;
  }

  /** The numbers of nodes by cluster and name; nodes appear by sending. */
  async nodesOf(
    wanted: readonly { readonly cluster: number; readonly name: string }[],
  ): Promise<ReadonlyMap<string, number>> {
    const missing = new Map(
      wanted.flatMap((each) =>
        this.#nodes.has(nodeKey(each.cluster, each.name)) ? [] : [[nodeKey(each.cluster, each.name), each]],
      ),
    );
    if (missing.size > 0) {
      const found = [...missing].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
      const [clusters, names] = [found.map(({ cluster }) => cluster), found.map(({ name }) => name)];
      await this.#db.query(
        `insert into sonar.node (cluster, name, short)
         select cluster, name, split_part(name, '.', 1) from unnest($1::int[], $2::text[]) as t (cluster, name)
         on conflict do nothing`,
        clusters,
        names,
      );
      const rows = await this.#db.query(
        `select n.id, n.cluster, n.name from sonar.node n
         join unnest($1::int[], $2::text[]) as t (cluster, name) on n.cluster = t.cluster and n.name = t.name`,
        clusters,
        names,
      );
      for (const { id, cluster, name } of rows) this.#nodes.set(nodeKey(Number(cluster), String(name)), Number(id));
    }
    return this.#nodes;
  }

  /** The numbers of texts by their hashes. */
  async #contentsFor(messages: readonly ReceivedEnvelope[]): Promise<Contents> {
    const texts = new Map<string, string>();
    const add = (text: string | undefined) => void (text !== undefined && texts.set(hashOf(text), text));
    for (const message of messages) {
      for (const text of [message.content, message.topoSvg, message.topoText]) add(text);
      for (const { text } of recordsOf(message)) add(text);
    }
    const ids = new Map<string, bigint>();
    const find = async (hashes: readonly string[]) => {
      const rows = await this.#db.query(
        `select id, encode(sha256, 'hex') as hash from sonar.content where sha256 = any($1::bytea[])`,
        hashes.map((hash) => Buffer.from(hash, 'hex')),
      );
      for (const { id, hash } of rows) ids.set(String(hash), id as bigint);
    };
    if (texts.size === 0) return ids;
    await find([...texts.keys()]);
    // In one order in all programs, so that no two wait for each other.
    const missing = [...texts.keys()].filter((hash) => !ids.has(hash)).toSorted();
    if (missing.length > 0) {
      await this.#db.query(
        `insert into sonar.content (sha256, text)
         select decode(hash, 'hex'), text from unnest($1::text[], $2::text[]) as t (hash, text) on conflict do nothing`,
        missing,
        missing.map((hash) => texts.get(hash)),
      );
      await find(missing);
    }
    return ids;
  }

  async #writeLedger(
    messages: readonly ReceivedEnvelope[],
    received: number,
    { ids, nodes, contents }: { ids: IdsOf; nodes: ReadonlyMap<string, number>; contents: Contents },
  ): Promise<Stored[]> {
    if (messages.length === 0) return [];
    const sorted = messages.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const contentOf = (text: string | undefined) =>
      text === undefined ? null : String(contents.get(hashOf(text)) ?? '');
    const column = <Value>(valueOf: (message: ReceivedEnvelope) => Value): Value[] => sorted.map(valueOf);
    const rows = await this.#db.query(
      `insert into sonar.envelope (time, cluster, type, sha256, node, zone, source, received, content, topo_svg, topo_text, members)
       select time, cluster, type, decode(hash, 'hex'), node, zone, source, $8::bigint, content, svg, txt, members
       from unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[])
         as t (time, cluster, type, hash, node, zone, source, content, svg, txt, members)
       on conflict (cluster, type, sha256, time) do nothing
       returning id, cluster, type, encode(sha256, 'hex') as hash`,
      column(({ time }) => time),
      column(({ cluster }) => cluster),
      column(({ type }) => type),
      column(({ sha256 }) => sha256),
      column(({ cluster, node }) => (node === undefined ? null : (nodes.get(nodeKey(cluster, node)) ?? null))),
      column(({ zone }) => zone),
      column(({ source }) => ids.source.get(source) ?? null),
      received,
      column(({ content }) => contentOf(content)),
      column(({ topoSvg }) => contentOf(topoSvg)),
      column(({ topoText }) => contentOf(topoText)),
      column(({ members }) => members ?? null),
    );
    const byKey = new Map(messages.map((message) => [keyOf(message), message]));
    return rows.map(({ id, cluster, type, hash }) => ({
      id: id as bigint,
      message: byKey.get(`${String(cluster)} ${String(type)} ${String(hash)}`) as ReceivedEnvelope,
    }));
  }

  async #writeSamples(stored: readonly Stored[], ids: IdsOf, nodes: ReadonlyMap<string, number>): Promise<void> {
    const samples: StoredSample[] = stored.flatMap(({ id, message: { cluster, node, time, envelope, type } }) =>
      type !== 'sample'
        ? []
        : {
            sample: envelope.data?.attributes as SampleAttributes,
            time,
            envelope: id,
            cluster,
            node: node === undefined ? null : (nodes.get(nodeKey(cluster, node)) ?? null),
          },
    );
    for (const name of sampleTableNames) {
      const { isIn } = sampleTables[name];
      const having = samples.filter(({ sample }) => isIn(sample));
      if (having.length === 0) continue;
      await this.#db.copyRows(`sonar.${name}`, copiedColumns(name), (out) => {
        for (const each of having) writeSample(name, out, each, ids);
      });
    }
  }

  /** A day that has new samples is not closed. Rows of open days are not touched, so writers do not wait for each other. */
  async #openDays(stored: readonly Stored[]): Promise<void> {
    const days = new Map<string, { readonly cluster: number; readonly day: number }>();
    for (const { message } of stored) {
      const { cluster, node, time, type } = message;
      if (type === 'sample' && node !== undefined && time >= 0)
        days.set(`${cluster} ${dayOf(time)}`, { cluster, day: dayOf(time) });
    }
    if (days.size === 0) return;
    const sorted = [...days.values()].toSorted((one, other) => one.cluster - other.cluster || one.day - other.day);
    await this.#db.query(
      `insert into sonar.day (cluster, day)
       select t.cluster, t.day from unnest($1::int[], $2::bigint[]) with ordinality as t (cluster, day, place)
       where not exists (select from sonar.day d where d.cluster = t.cluster and d.day = t.day and d.closed is null)
       order by t.place
       on conflict (cluster, day) do update set closed = null`,
      sorted.map(({ cluster }) => cluster),
      sorted.map(({ day }) => day),
    );
  }

  async #writeJobs(stored: readonly Stored[], contents: Contents): Promise<void> {
    const events: CopyValue[][] = [];
    const records: JobRecord[] = [];
    for (const { id, message } of stored) {
      const { cluster, time, envelope } = message;
      for (const [ord, { jobId, step, text, record }] of recordsOf(message).entries()) {
        events.push([time, id, ord, jobId, step, contents.get(hashOf(text)) ?? null]);
        records.push({ cluster, jobId, step, record, time, meta: envelope.meta });
      }
    }
    await this.#db.copy('sonar.job_event', JOB_EVENT, events);
    await mergeJobs(this.#db, records);
  }
}

const JOB_EVENT = {
  ...typedColumns('int8', 'time envelope'),
  ...typedColumns('int4', 'ord'),
  ...typedColumns('int8', 'job_id'),
  ...typedColumns('text', 'step'),
  ...typedColumns('int8', 'content'),
};

interface Stored {
  readonly id: bigint;
  readonly message: ReceivedEnvelope;
}

/** How many processes were written of each day. */
function rowsByDay(stored: readonly Stored[]): ReadonlyMap<number, number> {
  const days = new Map<number, number>();
  for (const { message } of stored) {
    if (message.type !== 'sample') continue;
    const { jobs = [] } = (message.envelope.data?.attributes ?? {}) as Partial<SampleAttributes>;
    const rows = jobs.reduce((sum, { processes = [] }) => sum + processes.length, 0);
    days.set(dayOf(message.time), (days.get(dayOf(message.time)) ?? 0) + rows);
  }
  return days;
}

type Contents = ReadonlyMap<string, bigint>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const nodeKey = (cluster: number, name: string): string => `${cluster} ${name}`;

/** The records of Slurm jobs in a message, each as it is stored. */
function recordsOf({ envelope, type }: ReceivedEnvelope) {
  if (type !== 'job' || envelope.data === undefined) return [];
  const { slurm_jobs: jobs = [] } = envelope.data.attributes as JobsAttributes;
  return jobs.map((record) => {
    const { job_id: jobId, job_step: step = '', ...rest } = record;
    return { jobId: toInteger(jobId) ?? 0, step, text: exactJson(rest), record };
  });
}
