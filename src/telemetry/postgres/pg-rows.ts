import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type {
  CardSample,
  ClosedJobHours,
  DiskSample,
  JobFilter,
  JobHour,
  JobKey,
  JobSample,
  Link,
  NodeHour,
  NodeInfo,
  NodeSample,
  ProcessCard,
  ProcessRow,
  SampleSum,
  SampleTime,
  SelectedJobs,
  SlurmJobRow,
  SumsBy,
  TelemetryRows,
  Window,
} from '../questions/rows.ts';
import { fromStoredJson, toInteger } from '../store/numbers.ts';
import { storedJson } from '../questions/stored-json.ts';
import { amount, number, optional, text } from '../store/cells.ts';
import type { PgConnection } from './connection.ts';
import { totalsOf } from './job-totals.ts';
import type { PgRow } from './library.ts';
import { NamesById } from './names-by-id.ts';
import {
  cardOf,
  diskOf,
  jobHourOf,
  jobSampleOf,
  linkOf,
  type Names,
  nodeHourOf,
  nodeSampleOf,
  processCardOf,
  processOf,
  sampleTimeOf,
  slurmJobOf,
  sumOf,
} from '../store/answer-of-row.ts';
import * as hourSql from './hour-queries.ts';
import * as sql from './queries.ts';

interface Cluster extends sql.Kind {
  readonly id: number;
  readonly name: string;
  /** It lost samples of days of the window: only of such ones are hours read. */
  readonly hasLostDays: boolean;
}

/** The rows of questions from PostgreSQL: those that the embedded store gives, in the same order. */
export class PgRows implements TelemetryRows {
  readonly #db: PgConnection;
  readonly #names: NamesById;
  readonly #asked = new Map<string, Promise<readonly Cluster[]>>();

  constructor(db: PgConnection) {
    this.#db = db;
    this.#names = new NamesById(db);
  }

  async clusterNames(name: string | undefined): Promise<string[]> {
    return (await this.#clusters(name)).map((each) => each.name);
  }

  /**
   * The clusters of a window. Parts of a question that ask for them at the same time wait for one answer: the way to the server and back takes
   * as long as the samples of a small job.
   */
  #clusters(name: string | undefined, { from = 0, until = 0 }: Partial<Window> = {}): Promise<readonly Cluster[]> {
    const key = JSON.stringify([name, from, until]);
    let clusters = this.#asked.get(key);
    if (clusters === undefined) {
      clusters = this.#askForClusters(name ?? null, from, until).finally(() => this.#asked.delete(key));
      this.#asked.set(key, clusters);
    }
    return clusters;
  }

  async #askForClusters(...values: readonly [name: string | null, from: number, until: number]): Promise<Cluster[]> {
    const rows = await this.#db.query(sql.CLUSTERS, ...values);
    return rows.map((row) => ({
      id: number(row, 'id'),
      name: text(row, 'name'),
      hasOneProducer: number(row, 'producers') < 2,
      hasCards: row['has_cards'] === true,
      hasLostDays: row['has_lost_days'] === true,
    }));
  }

  async #withLostDays(window: Window): Promise<readonly Cluster[]> {
    return (await this.#clusters(window.cluster, window)).filter(({ hasLostDays }) => hasLostDays);
  }

  /** The rows of all clusters of a window, one after the other. */
  async #all<Result>(
    window: Window,
    query: string,
    toResult: (row: PgRow, cluster: string) => Result,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const { id, name } of await this.#clusters(window.cluster))
      for (const row of await this.#db.query(query, ...windowValues(id, window))) results.push(toResult(row, name));
    return results;
  }

  async *#portions<Result>(
    window: Window,
    query: string | ((cluster: Cluster) => string),
    more: readonly unknown[],
    toResult: (row: PgRow, cluster: string, names: Names) => Result,
  ): AsyncGenerator<readonly Result[]> {
    for (const cluster of await this.#clusters(window.cluster, window)) {
      const statement = typeof query === 'string' ? query : query(cluster);
      for await (const rows of this.#db.stream(statement, ...windowValues(cluster.id, window), ...more)) {
        const names = await this.#names.of({ user: numbersIn(rows, 'user'), cmd: numbersIn(rows, 'cmd') });
        yield rows.map((row) => toResult(row, cluster.name, names));
      }
    }
  }

  processes(window: Window, key?: JobKey): AsyncGenerator<readonly ProcessRow[]> {
    const more = key === undefined ? [window.user ?? null] : ofUserAndJob(window, key);
    return this.#portions(window, (cluster) => sql.processes(cluster, key !== undefined), more, processOf);
  }

  sampleSums(window: Window, by: SumsBy, key?: JobKey): AsyncGenerator<readonly SampleSum[]> {
    if (by === 'node') return this.#portions(window, sql.NODE_SUMS, [], sumOf);
    return this.#portions(window, by === 'job' ? sql.JOB_SUMS : sql.PROCESS_SUMS, ofUserAndJob(window, key), sumOf);
  }

  jobSamples(window: Window, key: JobKey): AsyncGenerator<readonly JobSample[]> {
    return this.#portions(window, sql.jobSamples, ofUserAndJob(window, key), (row, cluster, names) =>
      jobSampleOf(row, cluster, sumsIn(row), names),
    );
  }

  processCards(window: Window, key?: JobKey): AsyncGenerator<readonly ProcessCard[]> {
    return this.#portions(window, sql.PROCESS_CARDS, ofUserAndJob(window, key), processCardOf);
  }

  async selectedJobs(cluster: string, filter: JobFilter): Promise<SelectedJobs> {
    const [found] = await this.#clusters(cluster);
    if (found === undefined) return { total: 0, jobs: [] };
    const { user, states, submitAfter, submitBefore, startAfter, startBefore, endAfter, endBefore } = filter;
    const times = [submitAfter, submitBefore, startAfter, startBefore, endAfter, endBefore];
    const more = [...times, filter.leastSeconds, filter.mostSeconds].map((each) => each ?? null);
    const job = filter.job === undefined ? null : stored(filter.job);
    const values = [found.id, user ?? null, states ?? null, ...more, filter.now, job];
    const [count] = await this.#db.query(sql.COUNT_OF_SELECTED, ...values);
    const rows = await this.#db.query(sql.SELECTED_JOBS, ...values, filter.limit, filter.offset);
    return { total: number(count ?? {}, 'total'), jobs: rows.map((row) => slurmJobOf(row, found.name)) };
  }

  async firstSamples({ cluster, from, until }: Window): Promise<ReadonlyMap<string, number>> {
    const found = await this.#all({ cluster, from, until }, sql.FIRST_SAMPLES, (row, name): [string, number] => [
      `${name} ${text(row, 'node')}`,
      number(row, 'time'),
    ]);
    return new Map(found);
  }

  sampleTimes(window: Window): Promise<SampleTime[]> {
    return this.#all(window, sql.SAMPLE_TIMES, sampleTimeOf);
  }

  nodeSamples(window: Window): AsyncGenerator<readonly NodeSample[]> {
    return this.#portions(window, sql.NODE_SAMPLES, [], nodeSampleOf);
  }

  cardSamples(window: Window): AsyncGenerator<readonly CardSample[]> {
    return this.#portions(window, sql.CARD_SAMPLES, [], cardOf);
  }

  cardStates(window: Window): Promise<CardSample[]> {
    return this.#all(window, sql.NEWEST_CARDS, cardOf);
  }

  diskSamples(window: Window): AsyncGenerator<readonly DiskSample[]> {
    return this.#portions(window, sql.DISK_SAMPLES, [], diskOf);
  }

  async sysinfo({ cluster, node, until }: Window): Promise<NodeInfo[]> {
    const nodes: NodeInfo[] = [];
    for (const { id, name } of await this.#clusters(cluster))
      for (const row of await this.#db.query(sql.SYSINFO, id, until, node ?? null))
        nodes.push({
          cluster: name,
          node: text(row, 'node'),
          time: optional(row, 'time'),
          sampled: optional(row, 'sampled'),
          info: (row['text'] === null ? {} : storedJson(text(row, 'text'))) as NodeInfo['info'],
        });
    return nodes;
  }

  async clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>> {
    const [row] = await this.#db.query(sql.CLUSTER_STATE, cluster, until);
    return (row === undefined ? {} : storedJson(text(row, 'text'))) as Readonly<Record<string, unknown>>;
  }

  async slurmJobs({ cluster, from, until }: Window): Promise<SlurmJobRow[]> {
    const jobs: SlurmJobRow[] = [];
    for (const { id, name } of await this.#clusters(cluster))
      for (const row of await this.#db.query(sql.SLURM_JOBS, id, from, until)) jobs.push(slurmJobOf(row, name));
    return jobs;
  }

  async slurmJob(cluster: string | undefined, job: Uint): Promise<SlurmJobRow[]> {
    const jobs: SlurmJobRow[] = [];
    for (const { id, name } of await this.#clusters(cluster))
      for (const row of await this.#db.query(sql.SLURM_JOB, id, stored(job))) jobs.push(slurmJobOf(row, name));
    return jobs;
  }

  async links(cluster: string | undefined, key: JobKey): Promise<Link[]> {
    const links: Link[] = [];
    for (const { id, name } of await this.#clusters(cluster))
      for (const row of await this.#db.query(sql.LINKS, id, stored(key.job), epochOf(key)))
        links.push(linkOf(row, name));
    return links;
  }

  async jobHours(window: Window, key?: JobKey, isAddedUp = false): Promise<JobHour[]> {
    const jobs: JobHour[] = [];
    const ofJob = key === undefined ? [null, null] : [stored(key.job), epochOf(key)];
    for (const { id, name } of await this.#withLostDays(window)) {
      const values = [...windowValues(id, window), window.user ?? null];
      if (isAddedUp && key === undefined) {
        const [totals = {}] = await this.#db.query(hourSql.JOB_TOTALS, ...values);
        for (const each of await totalsOf(totals, name, this.#names)) jobs.push(each);
      } else
        for (const row of await this.#db.query(hourSql.JOB_HOURS, ...values, ...ofJob)) jobs.push(jobHourOf(row, name));
    }
    return jobs;
  }

  async closedJobHours(window: Window, key: JobKey): Promise<ClosedJobHours> {
    const [lost, clusters] = await Promise.all([this.jobHours(window, key), this.#clusters(window.cluster, window)]);
    const hours = [...lost];
    const found: number[] = [];
    for (const { id, name } of clusters) {
      const days = await this.#db.query(hourSql.CLOSED_DAYS, id, window.from, window.until);
      if (days.length === 0) continue;
      const numbersOfDays = days.map((row) => number(row, 'day'));
      for (const row of await this.#db.query(
        hourSql.CLOSED_JOB_HOURS,
        id,
        numbersOfDays,
        window.node ?? null,
        window.user ?? null,
        stored(key.job),
        epochOf(key),
      ))
        hours.push(jobHourOf(row, name));
      for (const day of numbersOfDays) found.push(day);
    }
    return { hours, days: found };
  }

  async nodeHours(window: Window, stepSeconds = HOUR): Promise<NodeHour[]> {
    const isAddedUp = stepSeconds > HOUR && stepSeconds % HOUR === 0;
    const nodes: NodeHour[] = [];
    for (const { id, name } of await this.#withLostDays(window)) {
      const values = windowValues(id, window);
      const rows = isAddedUp
        ? await this.#db.query(hourSql.NODE_STEPS, ...values, stepSeconds, stepSeconds % DAY === 0)
        : await this.#db.query(hourSql.NODE_HOURS, ...values);
      for (const row of rows) nodes.push(nodeHourOf(row, name));
    }
    return nodes;
  }

  async hourlySpan(window: Window): Promise<{ readonly from: number; readonly until: number } | undefined> {
    const spans = await this.#all(window, hourSql.HOURLY_SPAN, (row) => ({
      first: optional(row, 'first'),
      last: optional(row, 'last'),
    }));
    let span: { readonly from: number; readonly until: number } | undefined;
    for (const { first, last } of spans)
      if (first !== undefined && last !== undefined)
        span = {
          from: Math.min(first, span?.from ?? first),
          until: Math.max(last + HOUR, span?.until ?? 0),
        };
    return span;
  }
}

function sumsIn(row: PgRow) {
  const counters = storedJson(text(row, 'counters')) as readonly [name: string, ppid: Uint, cpuTime: Uint][];
  return {
    processes: number(row, 'processes'),
    rssKb: amount(row, 'rss'),
    cpuAvg: number(row, 'cpu_avg'),
    gpuUtil: number(row, 'gpu_util'),
    gpuMemoryKb: amount(row, 'gpu_memory'),
    names: counters.map(([name]) => (name.startsWith('-') ? String(fromStoredJson(name)) : name)),
    ppids: counters.map(([, ppid]) => fromStoredJson(ppid)),
    cpuTimes: counters.map(([, , cpuTime]) => fromStoredJson(cpuTime)),
  };
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const ofUserAndJob = ({ user }: Window, key: JobKey | undefined) => [
  user ?? null,
  key === undefined ? null : stored(key.job),
  key === undefined ? null : epochOf(key),
];

/** The numbers of a column; where it has names, none. */
function* numbersIn(rows: readonly PgRow[], column: string): Generator<number> {
  for (const { [column]: cell } of rows) if (typeof cell === 'number') yield cell;
}

const windowValues = (cluster: number, { from, until, node }: Window) => [cluster, from, until, node ?? null];

/** As it is stored: bigints go to the server as texts. */
const stored = (value: Uint): string => String(toInteger(value) ?? 0);
const epochOf = ({ epoch }: JobKey): string | null => (epoch === undefined ? null : stored(epoch));
