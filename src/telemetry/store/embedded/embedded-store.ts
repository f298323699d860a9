import { createHash } from 'node:crypto';
import type { EnvelopeRecord } from '../../format/envelope-reader.ts';
import { ArchiveRows } from '../archive/archive-rows.ts';
import { archivedEnvelopes } from '../archive/archive-envelopes.ts';
import { closeEmbeddedDays, type CloseSettings, forgetDays } from './close.ts';
import type { AttemptLink } from '../rows/records.ts';
import { type StoreAccess, StoreDatabase } from '../sqlite/database.ts';
import { EmbeddedRows } from './embedded-rows.ts';
import { lateDays, pruneSqlite } from '../sqlite/prune.ts';
import { NO_CLUSTER, problemOf, quarantineRow } from '../received-record.ts';
import { mergedInOrder, portionsOf } from '../sqlite/portions.ts';
import { type InArrivalOrder, RowEnvelopes } from '../sqlite/read.ts';
import {
  clusterSummaryOf,
  type ClosedReport,
  type ClusterSummary,
  type IngestOptions,
  type IngestResult,
  type EnvelopeSelection,
  type StoredEnvelope,
  type TelemetryStore,
} from '../telemetry-store.ts';
import { SqliteWriter } from '../sqlite/write.ts';

/**
 * The embedded store of telemetry: one SQLite file, apart from the database of workflows.
 *
 * Everything within a call happens at once, in one transaction: the promises are those of the interface.
 */
export class EmbeddedStore implements TelemetryStore {
  readonly database: StoreDatabase;
  readonly rows: EmbeddedRows;
  readonly #archive: ArchiveRows;
  readonly path: string;
  readonly #writer: SqliteWriter;
  readonly #reader: RowEnvelopes;

  constructor(path: string, options: StoreAccess = {}) {
    this.database = new StoreDatabase(path, options);
    this.#writer = new SqliteWriter(this.database);
    this.#reader = new RowEnvelopes(this.database);
    this.path = path;
    this.#archive = new ArchiveRows(this.database, path);
    this.rows = new EmbeddedRows(this.database, this.#archive);
  }

  async ingestEach(records: Iterable<EnvelopeRecord>, options: IngestOptions): Promise<IngestResult[]> {
    try {
      return this.database.transaction(() => Array.from(records, (record) => this.#ingest(record, options)));
    } catch (error) {
      this.#writer.forget();
      throw error;
    }
  }

  #ingest(record: EnvelopeRecord, options: IngestOptions): IngestResult {
    // A comma between envelopes is no record.
    if (record.number === 0) return 'nothing';
    const { envelope, hasUnknown } = record;
    const problem = problemOf(record, options.received);
    if (envelope !== undefined && problem === undefined) {
      const result = this.#writer.write(envelope, { ...options, hasUnknown });
      if (result !== 'no cluster') return result;
    }
    this.database.run(
      `insert into quarantine (received, origin, position, problem, raw, sha256) values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
      ...quarantineRow(record, problem ?? NO_CLUSTER, options),
    );
    return 'quarantined';
  }

  async addLinks(links: readonly AttemptLink[]): Promise<number> {
    return this.database.transaction(() => this.#writer.writeLinks(links));
  }

  envelopes(selection: EnvelopeSelection = {}): AsyncGenerator<StoredEnvelope> {
    return this.database.snapshot(
      async function* (this: EmbeddedStore) {
        const hot = portionsOf(this.#reader.envelopes(selection), (envelope) => envelope);
        const archived = this.rows
          .clusters(selection.cluster)
          .map((cluster) => archivedEnvelopes(this.#archive, this.#reader, cluster, selection));
        const isEarlier = (one: InArrivalOrder<StoredEnvelope>, other: InArrivalOrder<StoredEnvelope>) =>
          one.time === other.time ? one.order < other.order : one.time < other.time;
        for await (const portion of mergedInOrder([hot, ...archived], isEarlier))
          for (const { order: _order, ...envelope } of portion) yield envelope;
      }.bind(this),
    );
  }

  /** Moves the samples of days that are over into files. Throws: `DUCKDB_MISSING`, `CloseRunning`. */
  closeDays(options: CloseSettings): AsyncGenerator<ClosedReport> {
    return closeEmbeddedDays(this.database, this.rows, this.path, options);
  }

  async prune(before: number, arrivedWithin?: number): Promise<number> {
    const kept = arrivedWithin === undefined ? [] : lateDays(this.database, before, arrivedWithin);
    return forgetDays(this.database, this.path, before, kept) + pruneSqlite(this.database, before, kept);
  }

  async addCluster(name: string, added: number, token?: string): Promise<boolean> {
    const hash = token === undefined ? null : createHash('sha256').update(token).digest();
    return this.database.transaction(() => {
      const isNew = this.database.run(
        'insert into cluster (name, added) values (?, ?) on conflict do nothing',
        name,
        added,
      ).changes;
      if (hash !== null) this.database.run('update cluster set token_sha256 = ? where name = ?', hash, name);
      return isNew > 0;
    });
  }

  async tokenHashOf(cluster: string): Promise<Uint8Array | undefined> {
    const hash = this.database.get('select token_sha256 from cluster where name = ?', cluster)?.['token_sha256'];
    return hash instanceof Uint8Array ? hash : undefined;
  }

  async clusters(): Promise<ClusterSummary[]> {
    return this.database
      .all(
        `select c.name,
           (select count(*) from node n where n.cluster = c.id) as nodes,
           (select count(*) from envelope e where e.cluster = c.id)
             + (select coalesce(sum(samples), 0) from closed_day d where d.cluster = c.id and has_samples > 0) as envelopes,
           (select max(time) from (
             select max(time) as time from envelope e where e.cluster = c.id
             union all select max(a.time) from newest_archived a join node n on n.id = a.node where n.cluster = c.id
           )) as newest
         from cluster c order by c.name`,
      )
      .map(clusterSummaryOf);
  }

  async close(): Promise<void> {
    await this.#archive.close();
    this.database.close();
  }
}
