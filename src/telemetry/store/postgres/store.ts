import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../../../core/contract/refusals.ts';
import { aboutOf } from '../../../core/contract/sonar/envelope.ts';
import type { AttemptLink } from '../rows/records.ts';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import { NO_CLUSTER, portionsOfRecords, problemOf, quarantineRow } from '../received-record.ts';
import { messageOf } from '../message.ts';
import { toInteger } from '../rows/numbers.ts';
import {
  clusterSummaryOf,
  type ClosedReport,
  type CloseOptions,
  type ClusterSummary,
  type IngestOptions,
  type IngestResult,
  type EnvelopeSelection,
  type StoredEnvelope,
  type TelemetryStore,
} from '../telemetry-store.ts';
import { closePostgresDays } from './close.ts';
import { PgConnection } from './connection.ts';
import { codeOf, PostgresUnusable, StoreAway } from './errors.ts';
import { type ReceivedEnvelope, problemFor } from './message.ts';
import { migratePostgres } from './migrate.ts';
import { prunePostgres, pruneTime } from './prune.ts';
import { PgRows } from './pg-rows.ts';
import { readEnvelopes } from './read.ts';
import { PostgresWriter } from './write.ts';

/**
 * Records that are read before the answers of the server are looked at: it waits for the next statement of the call before. With
 * 40 processes each these take 2 ms.
 */
const READ_AT_ONCE = 8;

/** Records of one call: what is to be stored of them, what is refused, and what is known of each. */
interface ReadRecords {
  readonly messages: readonly ReceivedEnvelope[];
  readonly refused: readonly { readonly record: EnvelopeRecord; readonly problem: string }[];
  readonly results: readonly IngestResult[];
}

/**
 * The store of a site: tables in PostgreSQL, for many readers, several writers, and the SQL of the site.
 *
 * It gives the same answers as the embedded store. What PostgreSQL cannot keep (a NUL character in a text) costs its envelope, which
 * goes to quarantine.
 */
export class PostgresStore implements TelemetryStore {
  readonly rows: PgRows;
  /** For what is read: a transaction that failed must not be in its way. */
  readonly #db: PgConnection;
  readonly #writing: PgConnection;
  readonly #url: string;
  /** One transaction at a time. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #writer: PostgresWriter;
  readonly #clusters = new Map<string, number>();

  private constructor(db: PgConnection, url: string) {
    this.#db = db;
    this.#url = url;
    this.#writing = new PgConnection(url);
    this.#writer = new PostgresWriter(this.#writing);
    this.rows = new PgRows(db);
  }

  /** Throws: `PostgresUnusable`, `StoreAway`, `POSTGRES_MISSING`. */
  static async open(url: string, { isReadOnly = false }: { readonly isReadOnly?: boolean }): Promise<PostgresStore> {
    const db = new PgConnection(url);
    try {
      await migratePostgres(db, isReadOnly);
    } catch (error) {
      await db.close();
      if (codeOf(error) === '' || error instanceof Refusal) throw error;
      // A wrong login, a database that is not there, a schema that this user may not use.
      throw new PostgresUnusable(`cannot open the store ${db.address}: ${(error as Error).message}`, { cause: error });
    }
    return new PostgresStore(db, url);
  }

  async ingestEach(given: Iterable<EnvelopeRecord>, options: IngestOptions): Promise<IngestResult[]> {
    const results: IngestResult[] = [];
    for (const portion of portionsOfRecords(given)) {
      for (const result of await this.#ingestPortion(portion, options)) results.push(result);
    }
    return results;
  }

  #ingestPortion(records: readonly EnvelopeRecord[], options: IngestOptions): Promise<IngestResult[]> {
    // Read at once, while the server stores what came before.
    const read = this.#readAll(records, options);
    read.catch(() => {});
    return this.#afterOthers(() => this.#ingestEach(records, options, read));
  }

  #afterOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #ingestEach(
    records: readonly EnvelopeRecord[],
    options: IngestOptions,
    read = this.#readAll(records, options),
  ): Promise<IngestResult[]> {
    try {
      return await this.#write(await read, options);
    } catch (error) {
      if (error instanceof StoreAway || codeOf(error) === '') throw error;
      // One envelope that PostgreSQL refuses must not cost the others: each is stored alone.
      const [record] = records;
      if (records.length > 1) {
        const results: IngestResult[] = [];
        for (const each of records) results.push((await this.#ingestEach([each], options))[0] ?? 'nothing');
        return results;
      }
      if (record === undefined || !isOfData(error)) throw error;
      await this.#quarantine(record, `PostgreSQL refuses it: ${(error as Error).message}`, options);
      return ['quarantined'];
    }
  }

  async #readAll(records: readonly EnvelopeRecord[], options: IngestOptions): Promise<ReadRecords> {
    const refused: { record: EnvelopeRecord; problem: string }[] = [];
    const messages: ReceivedEnvelope[] = [];
    const results: IngestResult[] = [];
    for (const [index, record] of records.entries()) {
      if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await nextTurn();
      const found = record.number === 0 ? 'nothing' : await this.#read(record, index, options);
      if (typeof found === 'string') results.push(found);
      else if ('problem' in found) {
        results.push('quarantined');
        refused.push({ record, problem: found.problem });
      } else {
        results.push('repeated');
        messages.push(found);
      }
    }
    return { messages, refused, results };
  }

  async #write({ messages, refused, results }: ReadRecords, options: IngestOptions): Promise<IngestResult[]> {
    const stored = await this.#writer.write(messages, options.received, async () => {
      for (const { record, problem } of refused) await this.#quarantine(record, problem, options);
    });
    return results.map((result, index) => (stored.has(index) ? 'stored' : result));
  }

  /** The message of a record, or why it is not stored. */
  async #read(
    record: EnvelopeRecord,
    index: number,
    options: IngestOptions,
  ): Promise<ReceivedEnvelope | IngestResult | { readonly problem: string }> {
    const { envelope } = record;
    const refusal = problemOf(record, options.received);
    if (envelope === undefined || refusal !== undefined) return { problem: refusal ?? '' };
    const name = aboutOf(envelope).cluster ?? options.cluster;
    if (name === undefined) return { problem: NO_CLUSTER };
    const id = await this.#clusterOf(name);
    if (id === undefined) return 'unknown cluster';
    const message = messageOf(envelope, record.hasUnknown, { id, name });
    const problem = problemFor(message);
    return problem === undefined ? { ...message, index } : { problem };
  }

  async #clusterOf(name: string): Promise<number | undefined> {
    const known = this.#clusters.get(name);
    if (known !== undefined || name.includes('\0')) return known;
    const [row] = await this.#db.query('select id from sonar.cluster where name = $1', name);
    if (row === undefined) return undefined;
    this.#clusters.set(name, Number(row['id']));
    return Number(row['id']);
  }

  async #quarantine(record: EnvelopeRecord, problem: string, options: IngestOptions): Promise<void> {
    await this.#writing.query(
      `insert into sonar.quarantine (received, origin, position, problem, raw, sha256) values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      ...quarantineRow(record, problem.replaceAll('\0', '\\u0000'), options),
    );
  }

  addLinks(links: readonly AttemptLink[]): Promise<number> {
    return this.#afterOthers(() => this.#addLinks(links));
  }

  async #addLinks(links: readonly AttemptLink[]): Promise<number> {
    const known: (AttemptLink & { readonly clusterId: number })[] = [];
    for (const link of links) {
      const clusterId = await this.#clusterOf(link.cluster);
      if (clusterId !== undefined) known.push({ ...link, clusterId });
    }
    if (known.length === 0) return 0;
    const nodes = await this.#writer.nodesOf(known.map(({ clusterId, node }) => ({ cluster: clusterId, name: node })));
    const column = <Value>(valueOf: (link: (typeof known)[number]) => Value): Value[] => known.map(valueOf);
    const uint = (value: AttemptLink['job'] | undefined) =>
      value === undefined ? null : String(toInteger(value) ?? 0);
    return this.#writing.run(
      `insert into sonar.link select * from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
         $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[]) on conflict do nothing`,
      column(({ clusterId }) => clusterId),
      column(({ clusterId, node }) => nodes.get(`${clusterId} ${node}`) ?? null),
      column(({ job }) => uint(job)),
      column(({ epoch }) => uint(epoch)),
      column(({ pid }) => uint(pid)),
      column(({ start }) => uint(start)),
      column(({ time }) => time),
      column(({ workflow }) => workflow),
      column(({ workflowJob }) => workflowJob),
      column(({ run }) => run),
      column(({ attempt }) => attempt),
      column(({ slurmJob }) => uint(slurmJob)),
      column(({ step }) => step ?? null),
    );
  }

  envelopes(selection: EnvelopeSelection = {}): AsyncIterable<StoredEnvelope> {
    return readEnvelopes(this.#db, selection);
  }

  closeDays({ before, now }: CloseOptions): AsyncGenerator<ClosedReport> {
    const exclusively = <Result>(work: () => Promise<Result>) => this.#afterOthers(work);
    const { rows } = this;
    return closePostgresDays(
      { url: this.#url, reading: this.#db, rows, writing: this.#writing, writer: this.#writer, exclusively },
      before,
      now,
    );
  }

  async prune(before: number, arrivedWithin?: number): Promise<number> {
    const time = await pruneTime(this.#db, before);
    // What samples of whole days said stays, in their hours.
    await Array.fromAsync(this.closeDays({ before: time, now: Math.floor(Date.now() / 1000) }));
    const deleted = await this.#afterOthers(() => prunePostgres(this.#writing, time, arrivedWithin));
    this.#writer.days.forget();
    return deleted;
  }

  async addCluster(name: string, added: number, token?: string): Promise<boolean> {
    const hash = token === undefined ? null : createHash('sha256').update(token).digest();
    const count = await this.#db.run(
      'insert into sonar.cluster (name, added) values ($1, $2) on conflict do nothing',
      name,
      added,
    );
    if (hash !== null) await this.#db.run('update sonar.cluster set token_sha256 = $1 where name = $2', hash, name);
    return count > 0;
  }

  async tokenHashOf(cluster: string): Promise<Uint8Array | undefined> {
    if (cluster.includes('\0')) return undefined;
    const [row] = await this.#db.query('select token_sha256 from sonar.cluster where name = $1', cluster);
    const hash = row?.['token_sha256'];
    return hash instanceof Uint8Array ? hash : undefined;
  }

  async clusters(): Promise<ClusterSummary[]> {
    const rows = await this.#db.query(
      `select c.name,
         (select count(*) from sonar.node n where n.cluster = c.id) as nodes,
         (select count(*) from sonar.envelope e where e.cluster = c.id) as envelopes,
         greatest(
           (select max(time) from sonar.envelope e where e.cluster = c.id),
           (select max(last) from sonar.node_hour h where h.cluster = c.id and h.time >= (select max(time) from sonar.node_hour where cluster = c.id))
         ) as newest
       from sonar.cluster c order by c.name collate "C"`,
    );
    return rows.map(clusterSummaryOf);
  }

  async close(): Promise<void> {
    await this.#last;
    await Promise.all([this.#db.close(), this.#writing.close()]);
  }
}

/** Errors of values (22), of limits of the program (54), and of constraints (23). */
const isOfData = (error: unknown): boolean => /^(?:22|23|54)/.test(codeOf(error));
