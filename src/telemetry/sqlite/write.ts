import { encodeAttributes, exactJson } from '../../core/contract/sonar/encode.ts';
import type { Envelope } from '../../core/contract/sonar/envelope.ts';
import type { SysinfoAttributes } from '../../core/contract/sonar/sysinfo.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { archivedHash, dayOf } from '../store/days.ts';
import { unknownMembers } from '../store/unknown-members.ts';
import { Contents, sha256 } from './contents.ts';
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
    const about = (envelope.data === undefined ? envelope.errors[0] : envelope.data.attributes) ?? { time: '' };
    const clusterName = about.cluster ?? fallback;
    if (clusterName === undefined) return 'no cluster';
    const cluster = this.clusterOf(clusterName);
    if (cluster === undefined) return 'unknown cluster';
    const type = envelope.data?.type ?? 'error';
    const text =
      envelope.data === undefined
        ? exactJson(envelope.errors)
        : encodeAttributes(envelope.data.type, { ...envelope.data.attributes, cluster: clusterName });
    const node = 'node' in about && typeof about.node === 'string' ? this.nodeOf(cluster, about.node) : null;
    const instant = parseTimestamp(about.time) ?? { seconds: 0, offsetMinutes: 0 };
    const hash = sha256(text);
    if (type === 'sample' && this.#isArchived(cluster, instant.seconds, hash)) return 'repeated';
    const { changes, id } = this.#db.run(
      // An id is never used again, also if its envelope was archived.
      `insert into envelope (id, cluster, type, sha256, node, time, zone, source, received) values (
         max(coalesce((select max(id) from envelope), 0), coalesce((select max(last_id) from closed_day), 0)) + 1,
         ?, ?, ?, ?, ?, ?, ?, ?
       ) on conflict do nothing`,
      cluster,
      type,
      hash,
      node,
      instant.seconds,
      instant.offsetMinutes,
      this.#sourceOf(envelope.meta),
      received,
    );
    if (changes === 0) return 'repeated';
    if (hasUnknown) this.#writeUnknown(id, envelope);
    this.#writeBody(id, envelope, cluster, instant.seconds);
    return 'stored';
  }

  #writeBody(id: number, envelope: Envelope, cluster: number, time: number): void {
    const { data } = envelope;
    if (data === undefined) return this.#contents.set(id, exactJson(envelope.errors));
    switch (data.type) {
      case 'sample':
        if ((data.attributes.errors ?? []).length > 0) this.#contents.set(id, exactJson(data.attributes.errors));
        return this.#samples.write(id, data.attributes);
      case 'sysinfo':
        return this.#writeSysinfo(id, data.attributes);
      case 'job':
        return writeJobs(this.#db, this.#contents, data.attributes.slurm_jobs ?? [], {
          id,
          cluster,
          time,
          meta: envelope.meta,
        });
      case 'cluster': {
        const { time: _time, cluster: _cluster, ...state } = data.attributes;
        return this.#contents.set(id, exactJson(state));
      }
    }
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

  clusterOf(name: string): number | undefined {
    const known = this.#clusters.get(name);
    if (known !== undefined) return known;
    const found = this.#db.get('select id from cluster where name = ?', name);
    if (found === undefined) return undefined;
    this.#clusters.set(name, Number(found['id']));
    return Number(found['id']);
  }

  nodeOf(cluster: number, name: string): number {
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

  /** A token proves who sent the data; it is not part of them and is stored nowhere. */
  #sourceOf({ token: _token, ...meta }: Envelope['meta']): number {
    return this.#sources.idOf(exactJson(meta));
  }

  #writeUnknown(id: number, envelope: Envelope): void {
    const members = unknownMembers(envelope);
    if (members.length > 0) this.#db.run('insert into extra (envelope, members) values (?, ?)', id, exactJson(members));
  }

  /** The hardware of a node rarely changes, and its topology is several hundred KB: equal texts are stored once. */
  #writeSysinfo(id: number, attributes: SysinfoAttributes): void {
    const { time: _time, cluster: _cluster, node: _node, topo_svg: svg, topo_text: text, ...rest } = attributes;
    this.#contents.set(id, exactJson(rest));
    if (svg !== undefined || text !== undefined)
      this.#db.run(
        'insert into topology values (?, ?, ?)',
        id,
        svg === undefined ? null : this.#contents.idOf(svg),
        text === undefined ? null : this.#contents.idOf(text),
      );
  }
}
