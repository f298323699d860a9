import type { SQLInputValue } from 'node:sqlite';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type {
  CardSample,
  DiskSample,
  JobKey,
  Link,
  NodeInfo,
  NodeSample,
  ProcessRow,
  SampleTime,
  SlurmJobRow,
  Window,
} from '../questions/rows.ts';
import type { StoreDatabase } from './database.ts';
import { readLinks } from './links.ts';
import {
  cardOf,
  diskOf,
  nodeSampleOf,
  type Ordered,
  processOf,
  sampleTimeOf,
  slurmJobOf,
} from '../store/answer-of-row.ts';
import { number, text } from '../store/cells.ts';
import { fromHalves, halvesOf, toInteger } from '../store/numbers.ts';
import { portionsOf } from './portions.ts';
import { storedJson } from '../questions/stored-json.ts';

const PROCESSES = `
  select e.id, e.time, n.name as node, u.name as user, j.job, j.epoch, j.slot, p.ord, p.pid, p.ppid,
    m.name as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup,
    (
      select json_array(sum(case typeof(util) when 'integer' then util / 1000.0 else util end), ${halvesOf('memory').join(', ')}, group_concat(gpu.name, ' '))
      from process_gpu g join gpu on gpu.id = g.gpu
      where g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord having count(*) > 0
    ) as gpu_use
  from envelope e
  join node n on n.id = e.node
  join sample_job j on j.envelope = e.id
  join user u on u.id = j.user
  left join process p on p.envelope = j.envelope and p.slot = j.slot
  left join cmd m on m.id = p.cmd`;

export const IN_WINDOW = `e.cluster = :cluster and e.type = 'sample' and e.time >= :from and e.time < :until`;
const OF_NODE = `${IN_WINDOW} and (:node is null or n.name = :node or n.short = :node)`;

/** The producer of a node, where two send samples of one. */
export const IS_CHOSEN = `json_extract(o.name, '$.producer') = (select value ->> 1 from json_each(:chosen) where value ->> 0 = n.name)`;

/** Of one job, only its own samples are read: a window may have millions of others. The plus keeps from the index by time. */
export const ofJob = (window: string): string =>
  `e.id in (select envelope from sample_job where job = :job and (:epoch is null or epoch = :epoch)) and ${window.replaceAll('e.', '+e.')}`;

export const keyValues = (key: JobKey | undefined): Record<string, SQLInputValue> =>
  key === undefined
    ? {}
    : { job: toInteger(key.job) ?? 0, epoch: key.epoch === undefined ? null : (toInteger(key.epoch) ?? 0) };

const CARDS_IN_ORDER = `
  select e.id, n.name as node, g.*, u.name as uuid, e.time, s.name as source
  from envelope e join gpu_sample g on g.envelope = e.id join gpu u on u.id = g.gpu
  join node n on n.id = e.node join source s on s.id = e.source
  where ${OF_NODE} order by n.name, e.time, e.id, g.item`;

const NEWEST_CARDS = `
  select e.id, n.name as node, g.*, u.name as uuid, max(e.time) as time, s.name as source
  from envelope e join gpu_sample g on g.envelope = e.id join gpu u on u.id = g.gpu
  join node n on n.id = e.node join source s on s.id = e.source
  where ${OF_NODE} group by n.name, u.name order by n.name, u.name`;

function* mapped<Row, Item>(rows: Iterable<Row>, map: (row: Row) => Item): Generator<Item> {
  for (const row of rows) yield map(row);
}

/** A window, or its part of the nodes from one name to another in the order of their bytes: the rows of all may be too many. */
export type PartOfWindow = Window & { readonly nodes?: { readonly first: string; readonly last: string } };

const withinNodes = ({ nodes }: PartOfWindow): string =>
  nodes === undefined ? '' : 'and n.name between :first_node and :last_node';
const nodeValues = ({ nodes }: PartOfWindow): Record<string, string> =>
  nodes === undefined ? {} : { first_node: nodes.first, last_node: nodes.last };

/** A cluster of the store. */
export interface Cluster {
  readonly id: number;
  readonly name: string;
}

/** How many samples a producer sent of a node. */
export interface ProducerCount {
  readonly node: string;
  readonly producer: string;
  /** Some of them have only the jobs of their producer. */
  readonly hasJobsOnly: boolean;
  readonly count: number;
}

/** The rows of days that are not closed, and of late envelopes of closed ones. */
export class HotRows {
  readonly #db: StoreDatabase;

  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  /** The clusters of a window: the one that is named, or all. */
  clusters(name: string | undefined): Cluster[] {
    return this.#db
      .all('select id, name from cluster where (?1 is null or name = ?1) order by name', name ?? null)
      .map((row) => ({ id: number(row, 'id'), name: text(row, 'name') }));
  }

  producers({ id }: Cluster, { from, until }: Window, key?: JobKey): ProducerCount[] {
    return this.#db
      .all(
        `select n.name as node, json_extract(s.name, '$.producer') as producer, count(*) as count,
           max(s.name like '%"scope"%"jobs"%') as has_jobs_only
         from envelope e join source s on s.id = e.source join node n on n.id = e.node
         where ${key === undefined ? IN_WINDOW : ofJob(IN_WINDOW)} group by 1, 2`,
        { cluster: id, from, until, ...keyValues(key) },
      )
      .map((row) => ({
        node: text(row, 'node'),
        producer: text(row, 'producer'),
        hasJobsOnly: row['has_jobs_only'] === 1n,
        count: number(row, 'count'),
      }));
  }

  /** Processes in the order of time, envelope, slot and place; of the chosen producers, or of all. */
  async *processes(
    { id, name }: Cluster,
    window: PartOfWindow,
    key: JobKey | undefined,
    chosen: ReadonlyMap<string, string> | undefined,
  ): AsyncGenerator<readonly ProcessRow[]> {
    const { node, from, until, user } = window;
    const where =
      key === undefined ? IN_WINDOW : `${ofJob(IN_WINDOW)} and j.job = :job and (:epoch is null or j.epoch = :epoch)`;
    yield* portionsOf(
      this.#processes(
        name,
        `${PROCESSES}${chosen === undefined ? '' : ' join source o on o.id = e.source'}
         where ${where} and (:node is null or n.name = :node or n.short = :node) ${withinNodes(window)}
           and (:user is null or u.name = :user) ${chosen === undefined ? '' : `and ${IS_CHOSEN}`}
         order by e.time, e.id, j.slot, p.ord`,
        {
          cluster: id,
          from,
          until,
          node: node ?? null,
          user: user ?? null,
          ...nodeValues(window),
          ...keyValues(key),
          ...(chosen === undefined ? {} : { chosen: JSON.stringify([...chosen]) }),
        },
      ),
    );
  }

  *#processes(name: string, sql: string, values: Record<string, SQLInputValue>): Generator<ProcessRow> {
    for (const row of this.#db.eachNamed(sql, values)) {
      const [gpuUtil, memoryHigh, memoryLow, cards] = (
        row['gpu_use'] === null ? [] : JSON.parse(text(row, 'gpu_use'))
      ) as [number | null, number | null, number | null, string | null] | [];
      yield processOf(row, name, undefined, {
        gpuUtil: gpuUtil ?? 0,
        gpuMemoryKb: fromHalves(memoryHigh, memoryLow),
        cards: cards ?? '',
      });
    }
  }

  firstSamples({ id }: Cluster, { from, until }: Window): [node: string, time: number][] {
    return this.#db
      .all(
        `select n.name as node, min(e.time) as time from envelope e join node n on n.id = e.node
         where ${IN_WINDOW} group by n.id`,
        { cluster: id, from, until },
      )
      .map((row) => [text(row, 'node'), number(row, 'time')]);
  }

  sampleTimes({ id, name }: Cluster, window: PartOfWindow): SampleTime[] {
    const { from, until, node } = window;
    return this.#db
      .all(
        `select n.name as node, e.time, s.boot from envelope e join node n on n.id = e.node
         left join node_sample s on s.envelope = e.id where ${OF_NODE} ${withinNodes(window)}`,
        { cluster: id, from, until, node: node ?? null, ...nodeValues(window) },
      )
      .map((row) => sampleTimeOf(row, name));
  }

  async *nodeSamples({ id, name }: Cluster, window: PartOfWindow): AsyncGenerator<readonly Ordered<NodeSample>[]> {
    const { node, from, until } = window;
    yield* portionsOf(
      mapped(
        this.#db.eachNamed(
          `select e.id, n.name as node, e.time, s.used_memory, s.cpus, s.load1,
             (select count(*) from gpu_sample g where g.envelope = e.id) as cards,
             (select avg(case when ce_util < 0 then ce_util + 18446744073709551616.0 else coalesce(ce_util, 0) end)
               from gpu_sample g where g.envelope = e.id) as gpu_util,
             (select ${halvesOf('memory')[0]} from gpu_sample g where g.envelope = e.id) as gpu_memory_high,
             (select ${halvesOf('memory')[1]} from gpu_sample g where g.envelope = e.id) as gpu_memory_low
           from envelope e join node_sample s on s.envelope = e.id join node n on n.id = e.node
           where ${OF_NODE} ${withinNodes(window)} order by n.name, e.time, e.id`,
          { cluster: id, from, until, node: node ?? null, ...nodeValues(window) },
        ),
        (row) => nodeSampleOf(row, name),
      ),
    );
  }

  /** Each node with its newest sysinfo and its newest hot sample before `until`, by name. */
  sysinfo(
    { id, name }: Cluster,
    { node, until }: Window,
  ): (NodeInfo & { readonly newestArchived: number | undefined })[] {
    return this.#db
      .all(
        `select n.name as node, e.time, c.text, a.time as archived,
           (select max(time) from envelope s where s.node = n.id and s.type = 'sample' and s.time < ?2) as sampled
         from node n
         left join newest_archived a on a.node = n.id
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
        newestArchived: row['archived'] === null ? undefined : number(row, 'archived'),
        info: (row['text'] === null ? {} : storedJson(text(row, 'text'))) as Readonly<Record<string, unknown>>,
      }));
  }

  /** The state of cards at each sample, or the newest of each card. */
  async *cards(
    { id, name }: Cluster,
    { node, from, until }: Window,
    isNewest: boolean,
  ): AsyncGenerator<readonly Ordered<CardSample>[]> {
    const sql = isNewest ? NEWEST_CARDS : CARDS_IN_ORDER;
    yield* portionsOf(
      mapped(this.#db.eachNamed(sql, { cluster: id, from, until, node: node ?? null }), (row) => cardOf(row, name)),
    );
  }

  async *disks({ id, name }: Cluster, { node, from, until }: Window): AsyncGenerator<readonly Ordered<DiskSample>[]> {
    yield* portionsOf(
      mapped(
        this.#db.eachNamed(
          `select e.id, n.name as node, e.time, k.name as disk, d.major, d.minor, d.stats
           from envelope e join disk_sample d on d.envelope = e.id join disk k on k.id = d.disk join node n on n.id = e.node
           where ${OF_NODE} order by n.name, e.time, e.id, d.item`,
          { cluster: id, from, until, node: node ?? null },
        ),
        (row) => diskOf(row, name),
      ),
    );
  }

  clusterState(cluster: string, until: number): Readonly<Record<string, unknown>> {
    const row = this.#db.get(
      `select b.text from envelope e join cluster c on c.id = e.cluster join content b on b.id = e.content
       where c.name = ? and e.type = 'cluster' and e.time < ? order by e.time desc, e.id desc limit 1`,
      cluster,
      until,
    );
    return (row === undefined ? {} : storedJson(text(row, 'text'))) as Readonly<Record<string, unknown>>;
  }

  slurmJobs({ cluster, from, until }: Window): SlurmJobRow[] {
    return this.clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all(
          "select * from job where cluster = ? and step = '' and seen >= ? and coalesce(submit, seen) < ? order by job_id",
          id,
          from,
          until,
        )
        .map((row) => slurmJobOf(row, name)),
    );
  }

  slurmJob(cluster: string | undefined, job: Uint): SlurmJobRow[] {
    return this.clusters(cluster).flatMap(({ id, name }) =>
      this.#db
        .all('select * from job where cluster = ? and job_id = ? order by step', id, toInteger(job) ?? 0)
        .map((row) => slurmJobOf(row, name)),
    );
  }

  links(cluster: string | undefined, key: JobKey): Link[] {
    return this.clusters(cluster).flatMap(({ id, name }) => readLinks(this.#db, id, name, key));
  }
}
