import { createHash } from 'node:crypto';
import type { SQLInputValue } from 'node:sqlite';
import { encodeAttributes, exactJson } from '../../core/contract/sonar/encode.ts';
import type { Envelope } from '../../core/contract/sonar/envelope.ts';
import type { JobsAttributes, SlurmJob } from '../../core/contract/sonar/jobs.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { SampleAttributes } from '../../core/contract/sonar/sample.ts';
import type { SysinfoAttributes } from '../../core/contract/sonar/sysinfo.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { archivedHash, dayOf } from '../store/days.ts';
import { type Merged, mergeRecord, valuesOf } from '../jobs/merge.ts';
import type { StoreDatabase } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { jobSums } from './job-sums.ts';
import { packUints, toInteger, toThousandths } from '../store/numbers.ts';
import { storedJson } from '../questions/stored-json.ts';
import {
  type ColumnKind,
  type Fields,
  type SampleColumn,
  type SampleNames,
  type SampleTableName,
  sampleTableNames,
  sampleTables,
} from '../store/tables.ts';
import { unknownMembers } from '../store/unknown-members.ts';

/** What became of an envelope. */
export type Stored = 'stored' | 'repeated' | 'unknown cluster' | 'no cluster';

export interface StoreOptions {
  /** Unix time. */
  readonly received: number;
  /** The cluster of envelopes that name none. */
  readonly cluster?: string | undefined;
  readonly hasUnknown: boolean;
}

const inserts = Object.fromEntries(
  sampleTableNames.map((name) => {
    const { keys, columns } = sampleTables[name];
    const names = ['envelope', ...keys, ...columns.map(({ column }) => column)];
    return [name, `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`];
  }),
) as Readonly<Record<SampleTableName, string>>;

const write: Readonly<Record<Exclude<ColumnKind, 'name'>, (value: unknown) => SQLInputValue>> = {
  uint: (value) => toInteger(value as Uint),
  int: (value) => toInteger(value as Uint),
  float: (value) => toThousandths(value as number),
  flag: (value) => (value === true ? 1 : null),
  text: (value) => value as string,
  uints: (value) => packUints(value as readonly Uint[]),
  seconds: (value) => parseTimestamp(value as string)?.seconds ?? null,
  zone: (value) => parseTimestamp(value as string)?.offsetMinutes ?? null,
};

const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** Writes envelopes into the tables. Each call is part of a transaction of the caller. */
export class Writer {
  readonly #db: StoreDatabase;
  readonly #users: Dictionary;
  readonly #names: Readonly<Record<SampleNames, Dictionary>>;
  readonly #sources: Dictionary;
  readonly #clusters = new Map<string, number>();
  readonly #nodes = new Map<string, number>();

  constructor(db: StoreDatabase) {
    this.#db = db;
    this.#users = new Dictionary(db, 'user');
    this.#names = {
      cmd: new Dictionary(db, 'cmd'),
      gpu: new Dictionary(db, 'gpu'),
      disk: new Dictionary(db, 'disk'),
    };
    this.#sources = new Dictionary(db, 'source');
  }

  /** After a rollback: ids that were given in it do not exist. */
  forget(): void {
    for (const each of [this.#users, this.#sources, ...Object.values(this.#names)]) each.forget();
    this.#clusters.clear();
    this.#nodes.clear();
  }

  write(envelope: Envelope, { received, cluster: fallback, hasUnknown }: StoreOptions): Stored {
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
    if (data === undefined) return this.#setContent(id, exactJson(envelope.errors));
    switch (data.type) {
      case 'sample':
        return this.#writeSample(id, data.attributes);
      case 'sysinfo':
        return this.#writeSysinfo(id, data.attributes);
      case 'job':
        return this.#writeJobs(id, data.attributes, cluster, time, envelope.meta);
      case 'cluster': {
        const { time: _time, cluster: _cluster, ...state } = data.attributes;
        return this.#setContent(id, exactJson(state));
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

  #contentOf(text: string): number {
    const hash = sha256(text);
    const found = this.#db.get('select id from content where sha256 = ?', hash);
    if (found !== undefined) return Number(found['id']);
    return this.#db.run('insert into content (sha256, text) values (?, ?)', hash, text).id;
  }

  #setContent(id: number, text: string): void {
    this.#db.run('update envelope set content = ? where id = ?', this.#contentOf(text), id);
  }

  #writeUnknown(id: number, envelope: Envelope): void {
    const members = unknownMembers(envelope);
    if (members.length > 0) this.#db.run('insert into extra (envelope, members) values (?, ?)', id, exactJson(members));
  }

  #writeSample(id: number, sample: SampleAttributes): void {
    const { jobs = [], errors = [] } = sample;
    if (errors.length > 0) this.#setContent(id, exactJson(errors));
    for (const name of sampleTableNames) {
      const { columns, rowsOf } = sampleTables[name];
      for (const [places, fields] of rowsOf(sample))
        this.#db.run(inserts[name], id, ...places, ...columns.map((column) => this.#valueOf(column, fields)));
    }
    for (const [slot, { job, epoch, user, processes = [] }] of jobs.entries()) {
      this.#db.run(
        'insert into sample_job values (?, ?, ?, ?, ?)',
        id,
        slot,
        toInteger(job) ?? 0,
        toInteger(epoch) ?? 0,
        this.#users.idOf(user),
      );
      const sums = jobSums(processes);
      if (sums !== undefined)
        this.#db.run(
          'insert into job_sums values (?, ?, ?, ?, ?)',
          id,
          slot,
          BigInt(sums.rssKb),
          sums.cpuAvg,
          sums.counters,
        );
    }
  }

  #valueOf({ column, field, kind }: SampleColumn, fields: Fields): SQLInputValue {
    const value = fields[field];
    if (value === undefined || value === '') return kind === 'text' ? (value ?? null) : null;
    return kind === 'name' ? this.#names[column as SampleNames].idOf(value as string) : write[kind](value);
  }

  /** The hardware of a node rarely changes, and its topology is several hundred KB: equal texts are stored once. */
  #writeSysinfo(id: number, attributes: SysinfoAttributes): void {
    const { time: _time, cluster: _cluster, node: _node, topo_svg: svg, topo_text: text, ...rest } = attributes;
    this.#setContent(id, exactJson(rest));
    if (svg !== undefined || text !== undefined)
      this.#db.run(
        'insert into topology values (?, ?, ?)',
        id,
        svg === undefined ? null : this.#contentOf(svg),
        text === undefined ? null : this.#contentOf(text),
      );
  }

  #writeJobs(
    id: number,
    { slurm_jobs: jobs = [] }: JobsAttributes,
    cluster: number,
    time: number,
    meta: Envelope['meta'],
  ): void {
    for (const [ord, job] of jobs.entries()) {
      const { job_id: jobId, job_step: step = '', ...rest } = job;
      this.#db.run(
        'insert into job_event values (?, ?, ?, ?, ?)',
        id,
        ord,
        toInteger(jobId) ?? 0,
        step,
        this.#contentOf(exactJson(rest)),
      );
      this.#mergeJob(cluster, job, time, meta);
    }
  }

  #mergeJob(cluster: number, job: SlurmJob, time: number, meta: Envelope['meta']): void {
    const [jobId, step] = [toInteger(job.job_id) ?? 0, job.job_step ?? ''];
    const found = this.#db.get(
      'select fields, seen from job where cluster = ? and job_id = ? and step = ?',
      cluster,
      jobId,
      step,
    );
    const held = found === undefined ? {} : (storedJson(String(found['fields'])) as Merged);
    const merged = mergeRecord(held, job, time, meta);
    const values = valuesOf(merged);
    const text = (name: string) => (typeof values[name] === 'string' ? values[name] : null);
    const seconds = (name: string) => {
      const value = text(name);
      return value === null ? null : (parseTimestamp(value)?.seconds ?? null);
    };
    this.#db.run(
      'insert or replace into job values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      cluster,
      jobId,
      step,
      text('job_state'),
      text('user_name'),
      text('account'),
      text('partition'),
      seconds('submit_time'),
      seconds('start_time'),
      seconds('end_time'),
      Math.max(time, Number(found?.['seen'] ?? time)),
      exactJson(sorted(merged)),
    );
  }
}

/** The same text for the same row, in whatever order its fields came. */
const sorted = (merged: Merged): Merged =>
  Object.fromEntries(Object.entries(merged).toSorted(([one], [other]) => (one < other ? -1 : 1)));
