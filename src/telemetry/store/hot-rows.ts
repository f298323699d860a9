import type { Metadata } from '../../core/contract/sonar/shared.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type {
  CardSample,
  DiskSample,
  JobHour,
  JobKey,
  Link,
  NodeHour,
  NodeInfo,
  NodeSample,
  ProcessRow,
  SampleTime,
  SlurmJobRow,
  TelemetryRows,
  Window,
} from '../questions/rows.ts';
import type { Row, StoreDatabase } from './database.ts';
import { readLinks } from './links.ts';
import { fromInteger, fromSigned, fromThousandths, toInteger, unpackUints } from './numbers.ts';
import { portionsOf } from './portions.ts';
import { storedJson } from './stored-json.ts';

const number = (row: Row, name: string): number => Number(row[name] ?? 0);
const text = (row: Row, name: string): string => String(row[name] ?? '');

/**
 * Where two producers send samples of one node, such as the daemon of a site and a runner, every process would count twice. One
 * of them is read for each node: the one that samples the whole node, then the one with more samples.
 */
const preferred = (where: string): string => `
  select node, producer from (
    select e.node as node, json_extract(s.name, '$.producer') as producer,
      row_number() over (
        partition by e.node
        order by max(s.name like '%"scope"%"jobs"%'), count(*) desc, json_extract(s.name, '$.producer')
      ) as place
    from envelope e join source s on s.id = e.source
    where ${where}
    group by e.node, producer
  ) where place = 1`;

const PROCESSES = `
  select e.id as envelope, e.time, n.name as node, u.name as user_name, j.job, j.epoch, j.slot, p.ord, p.pid, p.ppid,
    m.name as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup,
    (
      select json_array(sum(case typeof(util) when 'integer' then util / 1000.0 else util end), sum(memory), group_concat(gpu.name, ' '))
      from process_gpu g join gpu on gpu.id = g.gpu
      where g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord having count(*) > 0
    ) as gpu_use
  from envelope e
  join preferred r on r.node = e.node
  join source o on o.id = e.source and json_extract(o.name, '$.producer') = r.producer
  join node n on n.id = e.node
  join sample_job j on j.envelope = e.id
  join user u on u.id = j.user
  left join process p on p.envelope = j.envelope and p.slot = j.slot
  left join cmd m on m.id = p.cmd`;

const SAMPLES_IN_WINDOW = `e.cluster = :cluster and e.type = 'sample' and e.time >= :from and e.time < :until
  and (:node is null or n.name = :node or n.short = :node)`;

const CARDS_IN_ORDER = `
  select n.name as node, g.*, u.name as uuid, e.time, s.name as source
  from envelope e join gpu_sample g on g.envelope = e.id join gpu u on u.id = g.gpu
  join node n on n.id = e.node join source s on s.id = e.source
  where ${SAMPLES_IN_WINDOW} order by n.name, e.time, e.id, g.item`;

const NEWEST_CARDS = `
  select n.name as node, g.*, u.name as uuid, max(e.time) as time, s.name as source
  from envelope e join gpu_sample g on g.envelope = e.id join gpu u on u.id = g.gpu
  join node n on n.id = e.node join source s on s.id = e.source
  where ${SAMPLES_IN_WINDOW} group by n.name, u.name order by n.name, g.idx, u.name`;

/** The rows of the embedded store. */
export class HotRows implements TelemetryRows {
  readonly #db: StoreDatabase;

  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  async clusterNames(name: string | undefined): Promise<string[]> {
    return this.#clusters(name).map((each) => each.name);
  }

  #clusters(name: string | undefined): { id: number; name: string }[] {
    return this.#db
      .all('select id, name from cluster where (?1 is null or name = ?1) order by name', name ?? null)
      .map((row) => ({ id: number(row, 'id'), name: text(row, 'name') }));
  }

  processes(window: Window, key?: JobKey): AsyncGenerator<readonly ProcessRow[]> {
    return portionsOf(this.#processes(window, key));
  }

  *#processes({ cluster, node, from, until, user }: Window, key?: JobKey): Generator<ProcessRow> {
    for (const { id, name } of this.#clusters(cluster)) {
      const inWindow = `e.cluster = :cluster and e.type = 'sample' and e.time >= :from and e.time < :until`;
      // Of one job, only its own samples are read: a window may have millions of others.
      const ofJob = 'select envelope from sample_job where job = :job and (:epoch is null or epoch = :epoch)';
      // The plus keeps the query from the index by time.
      const samples = key === undefined ? inWindow : `e.id in (${ofJob}) and ${inWindow.replaceAll('e.', '+e.')}`;
      const where =
        key === undefined ? samples : `${samples} and j.job = :job and (:epoch is null or j.epoch = :epoch)`;
      const rows = this.#db.eachNamed(
        `with preferred as materialized (${preferred(samples)}) ${PROCESSES}
         where ${where} and (:node is null or n.name = :node or n.short = :node)
           and (:user is null or u.name = :user)
         order by e.time, e.id, j.slot, p.ord`,
        {
          cluster: id,
          from,
          until,
          node: node ?? null,
          user: user ?? null,
          ...(key === undefined
            ? {}
            : { job: toInteger(key.job) ?? 0, epoch: key.epoch === undefined ? null : (toInteger(key.epoch) ?? 0) }),
        },
      );
      for (const row of rows) {
        const [gpuUtil, gpuMemoryKb, cards] = (row['gpu_use'] === null ? [] : JSON.parse(text(row, 'gpu_use'))) as
          | [number | null, number | null, string | null]
          | [];
        yield {
          envelope: number(row, 'envelope'),
          time: number(row, 'time'),
          cluster: name,
          node: text(row, 'node'),
          user: text(row, 'user_name'),
          job: fromInteger(row['job'] ?? null) ?? 0,
          epoch: fromInteger(row['epoch'] ?? null) ?? 0,
          slot: number(row, 'slot'),
          ord: row['ord'] === null ? undefined : number(row, 'ord'),
          pid: fromInteger(row['pid'] ?? null) ?? 0,
          ppid: fromInteger(row['ppid'] ?? null) ?? 0,
          cmd: text(row, 'cmd'),
          rssKb: number(row, 'rss'),
          cpuTime: number(row, 'cpu_time'),
          cpuAvg: fromThousandths(row['cpu_avg'] ?? null) ?? 0,
          processes: row['ord'] === null ? 0 : 1 + Math.max(0, number(row, 'rolledup')),
          gpuUtil: gpuUtil ?? 0,
          gpuMemoryKb: gpuMemoryKb ?? 0,
          cards: cards ?? '',
        };
      }
    }
  }

  async firstSamples(window: Window): Promise<ReadonlyMap<string, number>> {
    const rows = this.#clusters(window.cluster).flatMap(({ id, name }) =>
      this.#db
        .all(
          `select n.name as node, min(e.time) as time from envelope e join node n on n.id = e.node
           where e.cluster = ? and e.type = 'sample' and e.time >= ? and e.time < ? group by n.id`,
          id,
          window.from,
          window.until,
        )
        .map((row): [string, number] => [`${name} ${text(row, 'node')}`, number(row, 'time')]),
    );
    return new Map(rows);
  }

  async sampleTimes({ cluster, node, from, until }: Window): Promise<SampleTime[]> {
    return this.#clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all(
          `select n.name as node, e.time, s.boot from envelope e join node n on n.id = e.node
           left join node_sample s on s.envelope = e.id
           where e.cluster = ? and e.type = 'sample' and e.time >= ? and e.time < ?
             and (?4 is null or n.name = ?4 or n.short = ?4) order by n.name, e.time`,
          id,
          from,
          until,
          node ?? null,
        )
        .map((row) => ({
          cluster: name,
          node: text(row, 'node'),
          time: number(row, 'time'),
          boot: row['boot'] === null ? undefined : number(row, 'boot'),
        })),
    );
  }

  nodeSamples(window: Window): AsyncGenerator<readonly NodeSample[]> {
    return portionsOf(this.#nodeSamples(window));
  }

  *#nodeSamples({ cluster, node, from, until }: Window): Generator<NodeSample> {
    for (const { id, name } of this.#clusters(cluster)) {
      const rows = this.#db.eachNamed(
        `select n.name as node, e.time, s.used_memory, s.cpus, s.load1,
           (select count(*) from gpu_sample g where g.envelope = e.id) as cards,
           (select avg(coalesce(ce_util, 0)) from gpu_sample g where g.envelope = e.id) as gpu_util,
           (select sum(memory) from gpu_sample g where g.envelope = e.id) as gpu_memory
         from envelope e join node_sample s on s.envelope = e.id join node n on n.id = e.node
         where e.cluster = :cluster and e.type = 'sample' and e.time >= :from and e.time < :until
           and (:node is null or n.name = :node or n.short = :node) order by n.name, e.time, e.id`,
        { cluster: id, from, until, node: node ?? null },
      );
      for (const row of rows)
        yield {
          cluster: name,
          node: text(row, 'node'),
          time: number(row, 'time'),
          usedMemoryKb: number(row, 'used_memory'),
          cpuSeconds: unpackUints(row['cpus'] ?? null).map(Number),
          load1: fromThousandths(row['load1'] ?? null) ?? 0,
          cards: number(row, 'cards'),
          gpuUtil: row['gpu_util'] === null ? undefined : number(row, 'gpu_util'),
          gpuMemoryKb: number(row, 'gpu_memory'),
        };
    }
  }

  async sysinfo({ cluster, node, until }: Window): Promise<NodeInfo[]> {
    return this.#clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all(
          `select n.name as node, e.time, c.text,
             (select max(time) from envelope s where s.node = n.id and s.type = 'sample' and s.time < ?2) as sampled
           from node n
           left join envelope e on e.id =
             (select id from envelope i where i.node = n.id and i.type = 'sysinfo' and i.time < ?2 order by i.time desc, i.id desc limit 1)
           left join content c on c.id = e.content
           where n.cluster = ?1 and (?3 is null or n.name = ?3 or n.short = ?3) order by n.name`,
          id,
          until,
          node ?? null,
        )
        .map((row) => ({
          cluster: name,
          node: text(row, 'node'),
          time: row['time'] === null ? undefined : number(row, 'time'),
          sampled: row['sampled'] === null ? undefined : number(row, 'sampled'),
          info: (row['text'] === null ? {} : storedJson(text(row, 'text'))) as Readonly<Record<string, unknown>>,
        })),
    );
  }

  cardSamples(window: Window): AsyncGenerator<readonly CardSample[]> {
    return portionsOf(this.#cards(window, CARDS_IN_ORDER));
  }

  async cardStates(window: Window): Promise<CardSample[]> {
    return [...this.#cards(window, NEWEST_CARDS)];
  }

  *#cards({ cluster, node, from, until }: Window, sql: string): Generator<CardSample> {
    for (const { id, name } of this.#clusters(cluster))
      for (const row of this.#db.eachNamed(sql, { cluster: id, from, until, node: node ?? null })) {
        const uint = (column: string) => Number(fromInteger(row[column] ?? null) ?? 0);
        yield {
          cluster: name,
          node: text(row, 'node'),
          time: number(row, 'time'),
          uuid: text(row, 'uuid'),
          index: uint('idx'),
          failing: uint('failing'),
          fan: uint('fan'),
          memoryKb: uint('memory'),
          utilPercent: uint('ce_util'),
          memoryPercent: uint('memory_util'),
          temperature: Number(fromSigned(row['temperature'] ?? null) ?? 0),
          powerWatts: uint('power'),
          powerLimitWatts: uint('power_limit'),
          performance: fromInteger(row['performance'] ?? null),
          meta: JSON.parse(text(row, 'source')) as Metadata,
        };
      }
  }

  diskSamples(window: Window): AsyncGenerator<readonly DiskSample[]> {
    return portionsOf(this.#disks(window));
  }

  *#disks({ cluster, node, from, until }: Window): Generator<DiskSample> {
    for (const { id, name } of this.#clusters(cluster)) {
      const rows = this.#db.eachNamed(
        `select n.name as node, e.time, k.name as disk, d.major, d.minor, d.stats
         from envelope e join disk_sample d on d.envelope = e.id join disk k on k.id = d.disk join node n on n.id = e.node
         where ${SAMPLES_IN_WINDOW} order by n.name, e.time, e.id, d.item`,
        { cluster: id, from, until, node: node ?? null },
      );
      for (const row of rows)
        yield {
          cluster: name,
          node: text(row, 'node'),
          time: number(row, 'time'),
          disk: text(row, 'disk'),
          major: Number(fromInteger(row['major'] ?? null) ?? 0),
          minor: Number(fromInteger(row['minor'] ?? null) ?? 0),
          stats: unpackUints(row['stats'] ?? null).map(Number),
        };
    }
  }

  async clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>> {
    const row = this.#db.get(
      `select b.text from envelope e join cluster c on c.id = e.cluster join content b on b.id = e.content
       where c.name = ? and e.type = 'cluster' and e.time < ? order by e.time desc, e.id desc limit 1`,
      cluster,
      until,
    );
    return (row === undefined ? {} : storedJson(text(row, 'text'))) as Readonly<Record<string, unknown>>;
  }

  async slurmJobs({ cluster, from, until }: Window): Promise<SlurmJobRow[]> {
    return this.#clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all(
          "select * from job where cluster = ? and step = '' and seen >= ? and coalesce(submit, seen) < ? order by job_id",
          id,
          from,
          until,
        )
        .map((row) => this.#slurmJobOf(name, row)),
    );
  }

  async slurmJob(cluster: string | undefined, job: Uint): Promise<SlurmJobRow[]> {
    return this.#clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all('select * from job where cluster = ? and job_id = ? order by step', id, toInteger(job) ?? 0)
        .map((row) => this.#slurmJobOf(name, row)),
    );
  }

  async links(cluster: string | undefined, key: JobKey): Promise<Link[]> {
    return this.#clusters(cluster).flatMap(({ id, name }) => readLinks(this.#db, id, name, key));
  }

  /** All samples are here. */
  async jobHours(): Promise<JobHour[]> {
    return [];
  }

  async nodeHours(): Promise<NodeHour[]> {
    return [];
  }

  #slurmJobOf(cluster: string, row: Row): SlurmJobRow {
    const optional = (name: string) => (row[name] === null ? undefined : number(row, name));
    return {
      cluster,
      job: fromInteger(row['job_id'] ?? null) ?? 0,
      step: text(row, 'step'),
      state: text(row, 'state'),
      user: text(row, 'user'),
      account: text(row, 'account'),
      partition: text(row, 'partition'),
      submit: optional('submit'),
      start: optional('start'),
      end: optional('end'),
      seen: number(row, 'seen'),
      fields: text(row, 'fields'),
    };
  }
}
