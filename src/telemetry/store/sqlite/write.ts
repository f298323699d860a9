import { aboutOf, type Envelope } from '../../../core/contract/sonar/envelope.ts';
import { archivedHash, dayOf } from '../days.ts';
import { type LedgerMessage, messageOf } from '../message.ts';
import { toInteger } from '../rows/numbers.ts';
import type { AttemptLink } from '../rows/records.ts';
import { Contents } from './contents.ts';
import type { StoreDatabase } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { writeJobs } from './write-jobs.ts';
import { SampleWriter } from './write-sample.ts';

/** What became of an envelope. */
export type StoreOutcome = 'stored' | 'repeated' | 'unknown cluster' | 'no cluster';

export interface StoreEnvelopeOptions {
  /** Unix time. */
  readonly received: number;
  /** The cluster of envelopes that name none. */
  readonly cluster?: string | undefined;
  readonly hasUnknown: boolean;
}

/** Writes envelopes into the tables. Each call is part of a transaction of the caller. */
export class SqliteWriter {
  readonly #db: StoreDatabase;
  readonly #samples: SampleWriter;
  readonly #contents: Contents;
  readonly #sources: Dictionary;
  readonly #clusters = new Map<string, number>();
  readonly #nodes = new Map<string, number>();

  constructor(db: StoreDatabase) {
    this.#db = db;
    this.#samples = new SampleWriter(db);
    this.#contents = new Contents(db);
    this.#sources = new Dictionary(db, 'source');
  }

  /** After a rollback: ids that were given in it do not exist. */
  forget(): void {
    for (const each of [this.#samples, this.#sources]) each.forget();
    this.#clusters.clear();
    this.#nodes.clear();
  }

  write(envelope: Envelope, { received, cluster: fallback, hasUnknown }: StoreEnvelopeOptions): StoreOutcome {
    const name = aboutOf(envelope).cluster ?? fallback;
    if (name === undefined) return 'no cluster';
    const id = this.#clusterOf(name);
    if (id === undefined) return 'unknown cluster';
    const message = messageOf(envelope, hasUnknown, { id, name });
    const { cluster, type, time, zone, source } = message;
    const node = message.node === undefined ? null : this.#nodeOf(cluster, message.node);
    const hash = Buffer.from(message.sha256, 'hex');
    if (type === 'sample' && this.#isArchived(cluster, time, hash)) return 'repeated';
    const added = this.#db.run(
      // An id is never used again, also if its envelope was archived.
      `insert into envelope (id, cluster, type, sha256, node, time, zone, source, received) values (
         max(coalesce((select max(id) from envelope), 0), coalesce((select max(last_id) from closed_day), 0)) + 1,
         ?, ?, ?, ?, ?, ?, ?, ?
       ) on conflict do nothing`,
      cluster,
      type,
      hash,
      node,
      time,
      zone,
      this.#sources.idOf(source),
      received,
    );
    if (added.changes === 0) return 'repeated';
    this.#writeParts(added.id, message);
    return 'stored';
  }

  /** The hardware of a node rarely changes, and its topology is several hundred KB: equal texts are stored once. */
  #writeParts(id: number, { envelope, cluster, time, content, topoSvg, topoText, members }: LedgerMessage): void {
    const idOf = (text: string | undefined) => (text === undefined ? null : this.#contents.idOf(text));
    if (members !== undefined) this.#db.run('insert into extra (envelope, members) values (?, ?)', id, members);
    if (content !== undefined) this.#db.run('update envelope set content = ? where id = ?', idOf(content), id);
    if (topoSvg !== undefined || topoText !== undefined)
      this.#db.run('insert into topology values (?, ?, ?)', id, idOf(topoSvg), idOf(topoText));
    const { data, meta } = envelope;
    if (data?.type === 'sample') this.#samples.write(id, data.attributes);
    if (data?.type === 'job')
      writeJobs(this.#db, this.#contents, data.attributes.slurm_jobs ?? [], { id, cluster, time, meta });
  }

  /** Writes links of clusters that the store knows, and gives how many were new. */
  writeLinks(links: readonly AttemptLink[]): number {
    let added = 0;
    for (const link of links) {
      const cluster = this.#clusterOf(link.cluster);
      if (cluster === undefined) continue;
      added += this.#db.run(
        'insert into link values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing',
        cluster,
        this.#nodeOf(cluster, link.node),
        toInteger(link.job) ?? 0,
        toInteger(link.epoch) ?? 0,
        toInteger(link.pid) ?? 0,
        toInteger(link.start) ?? 0,
        link.time,
        link.workflow,
        link.workflowJob,
        link.run,
        link.attempt,
        toInteger(link.slurmJob),
        link.step ?? null,
      ).changes;
    }
    return added;
  }

  #isArchived(cluster: number, time: number, hash: Uint8Array): boolean {
    const found = this.#db.get(
      'select 1 as n from archived where cluster = ? and day = ? and sha256 = ?',
      cluster,
      dayOf(time),
      archivedHash(hash),
    );
    return found !== undefined;
  }

  #clusterOf(name: string): number | undefined {
    const known = this.#clusters.get(name);
    if (known !== undefined) return known;
    const found = this.#db.get('select id from cluster where name = ?', name);
    if (found === undefined) return undefined;
    this.#clusters.set(name, Number(found['id']));
    return Number(found['id']);
  }

  #nodeOf(cluster: number, name: string): number {
    const key = `${cluster} ${name}`;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const found = this.#db.get('select id from node where cluster = ? and name = ?', cluster, name);
    const id =
      found === undefined
        ? this.#db.run(
            'insert into node (cluster, name, short) values (?, ?, ?)',
            cluster,
            name,
            name.split('.', 1)[0] ?? name,
          ).id
        : Number(found['id']);
    this.#nodes.set(key, id);
    return id;
  }
}
