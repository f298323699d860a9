import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EnvelopeRecord } from '../read/envelope-reader.ts';
import { type Row, type StoreAccess, StoreDatabase } from './database.ts';
import { Reader, type Selection, type StoredEnvelope } from './read.ts';
import { Writer } from './write.ts';

/** What became of the records of a call. */
export interface IngestCounts {
  stored: number;
  /** Envelopes that the store had already. */
  repeated: number;
  quarantined: number;
  /** Envelopes of clusters that nobody added, which are not stored. */
  readonly unknownClusters: Map<string, number>;
}

/** `nothing`: commas and brackets between envelopes. */
export type IngestResult = 'stored' | 'repeated' | 'quarantined' | 'unknown cluster' | 'nothing';

export const noCounts = (): IngestCounts => ({ stored: 0, repeated: 0, quarantined: 0, unknownClusters: new Map() });

export interface IngestOptions {
  /** Unix time. */
  readonly received: number;
  /** Where the records come from: a file, or an address. */
  readonly origin: string;
  /** The cluster of envelopes that name none. */
  readonly cluster?: string | undefined;
}

export interface ClusterSummary {
  readonly name: string;
  readonly nodes: number;
  readonly envelopes: number;
  /** Unix time of the newest data, if there are any. */
  readonly newest?: number;
}

/** Of a record in quarantine: enough to see what it was. */
const KEPT_RAW = 65_536;

/**
 * The embedded store of telemetry: one SQLite file, apart from the database of workflows.
 *
 * A call of `ingest` is one transaction, and an envelope that is already there changes nothing. So a program that was killed
 * reads its input again from the beginning.
 */
export class TelemetryStore {
  readonly database: StoreDatabase;
  readonly #writer: Writer;
  readonly #reader: Reader;

  constructor(path: string, options: StoreAccess = {}) {
    this.database = new StoreDatabase(path, options);
    this.#writer = new Writer(this.database);
    this.#reader = new Reader(this.database);
  }

  ingest(records: readonly EnvelopeRecord[], options: IngestOptions): IngestCounts {
    const counts = noCounts();
    for (const [index, result] of this.ingestEach(records, options).entries()) {
      if (result === 'stored') counts.stored++;
      else if (result === 'repeated') counts.repeated++;
      else if (result === 'quarantined') counts.quarantined++;
      else if (result === 'unknown cluster') {
        const name = clusterNameOf(records[index] as EnvelopeRecord);
        counts.unknownClusters.set(name, (counts.unknownClusters.get(name) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** What became of each record. */
  ingestEach(records: readonly EnvelopeRecord[], options: IngestOptions): IngestResult[] {
    try {
      return this.database.transaction(() => records.map((record) => this.#ingest(record, options)));
    } catch (error) {
      this.#writer.forget();
      throw error;
    }
  }

  #ingest(record: EnvelopeRecord, options: IngestOptions): IngestResult {
    // A comma between envelopes is no record.
    if (record.number === 0) return 'nothing';
    if (record.envelope === undefined) {
      const { found = '', expected = '', field = '' } = record.problems.find(({ level }) => level === 'unusable') ?? {};
      this.#quarantine(record, `${field === '' ? '' : `${field}: `}found ${found}; expected ${expected}`, options);
      return 'quarantined';
    }
    const result = this.#writer.write(record.envelope, { ...options, hasUnknown: record.hasUnknown });
    if (result !== 'no cluster') return result;
    this.#quarantine(record, 'it names no cluster; name one with --cluster', options);
    return 'quarantined';
  }

  #quarantine({ bytes, number, line }: EnvelopeRecord, problem: string, { received, origin }: IngestOptions): void {
    const raw = bytes.subarray(0, KEPT_RAW);
    this.database.run(
      `insert into quarantine (received, origin, position, problem, raw, sha256) values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
      received,
      origin,
      `record ${number} (line ${line})`,
      problem,
      gzipSync(withoutSecrets(raw)),
      createHash('sha256').update(origin).update('\0').update(bytes).digest(),
    );
  }

  envelopes(selection: Selection = {}): Generator<StoredEnvelope> {
    return this.#reader.envelopes(selection);
  }

  /** Adds a cluster, or gives it another token; false if it was there. */
  addCluster(name: string, added: number, token?: string): boolean {
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

  /** The hash of the token of a cluster; undefined if there is none. */
  tokenHashOf(cluster: string): Uint8Array | undefined {
    const hash = this.database.get('select token_sha256 from cluster where name = ?', cluster)?.['token_sha256'];
    return hash instanceof Uint8Array ? hash : undefined;
  }

  clusters(): ClusterSummary[] {
    return this.database
      .all(
        `select c.name,
           (select count(*) from node n where n.cluster = c.id) as nodes,
           (select count(*) from envelope e where e.cluster = c.id) as envelopes,
           (select max(time) from envelope e where e.cluster = c.id) as newest
         from cluster c order by c.name`,
      )
      .map((row: Row) => ({
        name: String(row['name']),
        nodes: Number(row['nodes']),
        envelopes: Number(row['envelopes']),
        ...(row['newest'] === null ? {} : { newest: Number(row['newest']) }),
      }));
  }

  close(): void {
    this.database.close();
  }
}

/** Tokens and passwords prove who sent the data; nothing of them is stored. */
const withoutSecrets = (raw: Buffer): Buffer =>
  Buffer.from(
    raw.toString('latin1').replaceAll(/("(?:token|sasl-password)"\s*:\s*")(?:[^"\\]|\\.)*/g, '$1removed'),
    'latin1',
  );

function clusterNameOf({ envelope }: EnvelopeRecord): string {
  const about = envelope?.data === undefined ? envelope?.errors[0] : envelope.data.attributes;
  return about?.cluster ?? '';
}
