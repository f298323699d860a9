import type { Envelope, MessageType } from '../../core/contract/sonar/envelope.ts';
import type { AttemptLink } from './rows/records.ts';
import type { TelemetryRows } from './rows/rows.ts';
import type { EnvelopeRecord } from '../format/envelope-reader.ts';

/**
 * A store of telemetry. The embedded store (one SQLite file) implements it, and so does every other one; commands, the
 * receiving server and the questions know nothing else.
 *
 * `ingestEach` is one transaction, or in PostgreSQL one for each 4 MiB, durable when it resolves if the store was opened so. An envelope
 * that the store has already changes nothing: a sender that was interrupted sends everything again.
 */
export interface TelemetryStore {
  /** What questions are answered from. */
  readonly rows: TelemetryRows;
  /** Stores records, and says what became of each. */
  ingestEach(records: Iterable<EnvelopeRecord>, options: IngestOptions): Promise<readonly IngestResult[]>;
  /** Stores which processes belong to which attempts, and gives how many were new. */
  addLinks(links: readonly AttemptLink[]): Promise<number>;
  /** Envelopes in the order of their times, equal to those that were stored. */
  envelopes(selection?: EnvelopeSelection): AsyncIterable<StoredEnvelope>;
  /**
   * Deletes envelopes from before a time, and gives their number. The newest facts of each node and cluster stay, and the merged
   * records of Slurm jobs.
   *
   * With `arrivedWithin`, in seconds, a day stays whole if anything of it arrived later than that: an archive was stored.
   */
  prune(before: number, arrivedWithin?: number): Promise<number>;
  /**
   * Moves the samples of days that are over to where they take less room, if a store has such a place, and adds up their hours. Whatever is
   * asked has the same answer before and afterwards.
   */
  closeDays?(options: CloseOptions): AsyncIterable<ClosedReport>;
  /** Adds a cluster, or gives it another token; false if it was there. */
  addCluster(name: string, added: number, token?: string): Promise<boolean>;
  /** The SHA-256 of the token of a cluster; undefined if there is none. */
  tokenHashOf(cluster: string): Promise<Uint8Array | undefined>;
  clusters(): Promise<readonly ClusterSummary[]>;
  close(): Promise<void>;
}

/** `nothing`: commas and brackets between envelopes. */
export type IngestResult = 'stored' | 'repeated' | 'quarantined' | 'unknown cluster' | 'nothing';

export interface IngestOptions {
  /** Unix time. */
  readonly received: number;
  /** Where the records come from: a file, or an address. */
  readonly origin: string;
  /** The cluster of envelopes that name none. */
  readonly cluster?: string | undefined;
}

/** Which envelopes to read. */
export interface EnvelopeSelection {
  readonly cluster?: string | undefined;
  readonly node?: string | undefined;
  readonly types?: readonly (MessageType | 'error')[] | undefined;
  /** Unix times; `until` is not part of it. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export interface StoredEnvelope {
  readonly cluster: string;
  readonly node?: string | undefined;
  readonly type: MessageType | 'error';
  /** Unix time. */
  readonly time: number;
  readonly envelope: Envelope;
}

export interface ClusterSummary {
  readonly name: string;
  readonly nodes: number;
  readonly envelopes: number;
  /** Unix time of the newest data, if there are any. */
  readonly newest?: number;
}

/** A cluster, from a row with its figures. */
export const clusterSummaryOf = (row: Readonly<Record<string, unknown>>): ClusterSummary => ({
  name: String(row['name']),
  nodes: Number(row['nodes']),
  envelopes: Number(row['envelopes']),
  ...(row['newest'] === null ? {} : { newest: Number(row['newest']) }),
});

export interface CloseOptions {
  /** Days that ended before this time are closed, in UTC. */
  readonly before: number;
  /** Unix time. */
  readonly now: number;
}

/** A day that was closed. */
export interface ClosedReport {
  readonly cluster: string;
  /** `2026-03-01`. */
  readonly day: string;
  readonly samples: number;
  readonly processes: number;
  readonly bytes: number;
}
