import type { SQLInputValue } from 'node:sqlite';
import type {
  JobFilter,
  JobKey,
  JobSample,
  ProcessCard,
  SampleSum,
  SelectedJobs,
  SumsBy,
  Window,
} from '../questions/rows.ts';
import type { Row, StoreDatabase } from './database.ts';
import { type Cluster, IN_WINDOW, IS_CHOSEN, keyValues, ofJob } from './hot-rows.ts';
import { countersIn } from './job-sums.ts';
import { jobSampleOf, type Ordered, processCardOf, slurmJobOf, sumOf } from '../store/answer-of-row.ts';
import { number, text } from '../store/cells.ts';
import { fromHalves, fromStoredJson, halvesOf, toInteger } from '../store/numbers.ts';
import { portionsOf } from './portions.ts';

/** Producers of nodes that have two; undefined: all count. */
export type Chosen = ReadonlyMap<string, string> | undefined;

const halves = (column: string): string => {
  const [high, low] = halvesOf(`p.${column}`);
  return `${high} as ${column}_high, ${low} as ${column}_low`;
};
const percent = (column: string): string =>
  `case typeof(${column}) when 'integer' then ${column} / 1000.0 else ${column} end`;

const SUMS = `
  total(case when p.ord is null then 0 else 1 + max(0, coalesce(p.rolledup, 0)) end) as processes,
  total(${percent('p.cpu_avg')}) as cpu_avg, total(${percent('p.cpu_util')}) as cpu_util,
  ${['rss', 'vm', 'threads', 'cpu_time', 'data_read', 'data_written', 'data_cancelled'].map(halves).join(', ')}`;

const OF_SAMPLE = 'e.id, e.time, n.name as node, o.name as source';
const FROM_SAMPLE = 'from envelope e join node n on n.id = e.node join source o on o.id = e.source';
const OF_NODE = '(:node is null or n.name = :node or n.short = :node)';
const OF_KEY = 'j.job = :job and (:epoch is null or j.epoch = :epoch)';

const SUMS_BY: Readonly<Record<SumsBy, string>> = {
  // Also an idle node has a sample.
  node: `select ${OF_SAMPLE}, ${SUMS} ${FROM_SAMPLE} left join process p on p.envelope = e.id where :where group by e.id`,
  job: `select ${OF_SAMPLE}, j.job, j.epoch, u.name as user, ${SUMS} ${FROM_SAMPLE}
    join sample_job j on j.envelope = e.id join user u on u.id = j.user
    left join process p on p.envelope = j.envelope and p.slot = j.slot
    where :where and (:user is null or u.name = :user) group by e.id, j.job, j.epoch, u.name`,
  process: `select ${OF_SAMPLE}, j.job, j.epoch, u.name as user, p.pid, p.ppid, m.name as cmd, ${SUMS} ${FROM_SAMPLE}
    join sample_job j on j.envelope = e.id join user u on u.id = j.user
    join process p on p.envelope = j.envelope and p.slot = j.slot left join cmd m on m.id = p.cmd
    where :where and (:user is null or u.name = :user) group by e.id, j.slot, p.ord`,
};

/** A column in JSON: what is no number of JavaScript is a text there. */
const inJson = (column: string): string =>
  `case when ${column} between 0 and ${Number.MAX_SAFE_INTEGER} then ${column} else cast(${column} as text) end`;

/** One row for all processes of an entry: a row for each costs ten times as much. They are added up where that is not stored. */
const JOB_SAMPLES = `
  select e.id, e.time, n.name as node, j.job, j.epoch, j.slot, u.name as user, s.rss, s.cpu_avg, s.counters,
    case when s.counters is null then (
      select json_array(
        total(1 + max(0, coalesce(p.rolledup, 0))), ${halvesOf('p.rss').join(', ')}, total(${percent('p.cpu_avg')}),
        json_group_array(case when p.pid <> 0 then ${inJson('p.pid')} else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce((select name from cmd where id = p.cmd), '') end),
        json_group_array(${inJson('p.ppid')}), json_group_array(${inJson('p.cpu_time')})
      ) from process p where p.envelope = j.envelope and p.slot = j.slot
    ) end as sums,
    (
      select json_array(total(${percent('g.util')}), ${halvesOf('g.memory').join(', ')}) from process_gpu g where g.envelope = j.envelope and g.slot = j.slot
    ) as gpu_sums
  from envelope e join node n on n.id = e.node join source o on o.id = e.source join sample_job j on j.envelope = e.id join user u on u.id = j.user
    left join job_sums s on s.envelope = j.envelope and s.slot = j.slot`;

type StoredSums = [
  processes: number,
  rssHigh: number | null,
  rssLow: number | null,
  cpuAvg: number,
  names: (number | string)[],
  ppids: (number | string | null)[],
  cpuTimes: (number | string | null)[],
];

type Sums = Pick<JobSample, 'processes' | 'rssKb' | 'cpuAvg' | 'names' | 'ppids' | 'cpuTimes'>;

/** Those that were stored with the sample, or those that the statement made. */
function sumsIn(row: Row): Sums {
  if (row['counters'] instanceof Uint8Array) {
    const counters = countersIn(row['counters']);
    return { processes: counters.names.length, rssKb: number(row, 'rss'), cpuAvg: number(row, 'cpu_avg'), ...counters };
  }
  const [processes, high, low, cpuAvg, names, ppids, cpuTimes] = JSON.parse(text(row, 'sums')) as StoredSums;
  return {
    processes,
    rssKb: fromHalves(high, low),
    cpuAvg,
    names: names.map((name) => (String(name).startsWith('0 ') ? name : fromStoredJson(name))),
    ppids: ppids.map(fromStoredJson),
    cpuTimes: cpuTimes.map(fromStoredJson),
  };
}

/** Sums over processes, and jobs that a filter selects, from the hot rows. */
export class HotSeries {
  readonly #db: StoreDatabase;

  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  async *sums(
    cluster: Cluster,
    window: Window,
    { by, key, chosen }: { readonly by: SumsBy; readonly key: JobKey | undefined; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<SampleSum>[]> {
    const isOfJob = key !== undefined && by !== 'node';
    const where = [
      isOfJob ? `${ofJob(IN_WINDOW)} and ${OF_KEY}` : IN_WINDOW,
      OF_NODE,
      ...(chosen === undefined ? [] : [IS_CHOSEN]),
    ];
    const sql = `${SUMS_BY[by].replace(':where', where.join(' and '))} order by e.time, e.id`;
    yield* portionsOf(
      mapped(
        this.#db.eachNamed(
          sql,
          valuesOf(cluster, window, { key: isOfJob ? key : undefined, chosen, hasUser: by !== 'node' }),
        ),
        (row) => sumOf(row, cluster.name),
      ),
    );
  }

  async *jobSamples(
    cluster: Cluster,
    window: Window,
    { key, chosen }: { readonly key: JobKey; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<JobSample>[]> {
    const sql = `${JOB_SAMPLES} where ${ofJob(IN_WINDOW)} and ${OF_KEY} and ${OF_NODE} and (:user is null or u.name = :user)
      ${chosen === undefined ? '' : `and ${IS_CHOSEN}`} order by e.time, e.id, j.slot`;
    yield* portionsOf(
      mapped(this.#db.eachNamed(sql, valuesOf(cluster, window, { key, chosen, hasUser: true })), (row) => {
        const [gpuUtil, high, low] = JSON.parse(text(row, 'gpu_sums')) as [number, number | null, number | null];
        return jobSampleOf(row, cluster.name, { ...sumsIn(row), gpuUtil, gpuMemoryKb: fromHalves(high, low) });
      }),
    );
  }

  async *cards(
    cluster: Cluster,
    window: Window,
    { key, chosen }: { readonly key: JobKey | undefined; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<ProcessCard>[]> {
    const sql = `
      select ${OF_SAMPLE}, j.job, j.epoch, p.pid, c.name as uuid, g.memory, ${percent('g.util')} as util, ${percent('g.memory_util')} as memory_util
      ${FROM_SAMPLE} join process_gpu g on g.envelope = e.id join gpu c on c.id = g.gpu
      join sample_job j on j.envelope = g.envelope and j.slot = g.slot join user u on u.id = j.user
      join process p on p.envelope = g.envelope and p.slot = g.slot and p.ord = g.ord
      where ${key === undefined ? IN_WINDOW : `${ofJob(IN_WINDOW)} and ${OF_KEY}`} and ${OF_NODE}
        and (:user is null or u.name = :user) ${chosen === undefined ? '' : `and ${IS_CHOSEN}`}
      order by e.time, e.id, g.slot, g.ord, g.item`;
    yield* portionsOf(
      mapped(this.#db.eachNamed(sql, valuesOf(cluster, window, { key, chosen, hasUser: true })), (row) =>
        processCardOf(row, cluster.name),
      ),
    );
  }

  selectedJobs({ id, name }: Cluster, filter: JobFilter): SelectedJobs {
    const { now, offset, limit, states } = filter;
    const where = ["cluster = :cluster and step = ''", ...conditionsOf(filter)].join(' and ');
    const given = Object.keys(CONDITIONS).map((each): [string, SQLInputValue | undefined] => {
      if (each === 'states') return [each, states && JSON.stringify(states)];
      if (each === 'job') return [each, filter.job && (toInteger(filter.job) ?? 0)];
      return [each, filter[each as Exclude<keyof typeof CONDITIONS, 'states' | 'job'>]];
    });
    const hasLength = filter.leastSeconds !== undefined || filter.mostSeconds !== undefined;
    const values = Object.fromEntries([
      ['cluster', id],
      ...given.filter((each): each is [string, SQLInputValue] => each[1] !== undefined),
      ...(hasLength ? [['now', now] as const] : []),
    ]) as Record<string, SQLInputValue>;
    const [count] = this.#db.all(`select count(*) as total from job where ${where}`, values);
    const rows = this.#db.all(
      `select * from job where ${where} order by submit desc, job_id < 0 desc, job_id desc limit :limit offset :offset`,
      { ...values, limit, offset },
    );
    return { total: number(count ?? {}, 'total'), jobs: rows.map((row) => slurmJobOf(row, name)) };
  }
}

/** What each part of a filter asks of a row. */
const CONDITIONS = {
  user: 'user = :user',
  states: 'state in (select value from json_each(:states))',
  job: 'job_id = :job',
  submitAfter: 'coalesce(submit, seen) >= :submitAfter',
  submitBefore: 'coalesce(submit, seen) <= :submitBefore',
  startAfter: 'start >= :startAfter',
  startBefore: 'start <= :startBefore',
  endAfter: '"end" >= :endAfter',
  endBefore: '"end" <= :endBefore',
  leastSeconds: 'coalesce("end", :now) - start >= :leastSeconds',
  mostSeconds: 'coalesce("end", :now) - start <= :mostSeconds',
} as const;

const conditionsOf = (filter: JobFilter): string[] =>
  Object.entries(CONDITIONS).flatMap(([name, condition]) =>
    filter[name as keyof typeof CONDITIONS] === undefined ? [] : [condition],
  );

function valuesOf(
  { id }: Cluster,
  { from, until, node, user }: Window,
  { key, chosen, hasUser }: { readonly key: JobKey | undefined; readonly chosen: Chosen; readonly hasUser: boolean },
): Record<string, SQLInputValue> {
  return {
    cluster: id,
    from,
    until,
    node: node ?? null,
    ...(hasUser ? { user: user ?? null } : {}),
    ...keyValues(key),
    ...(chosen === undefined ? {} : { chosen: JSON.stringify([...chosen]) }),
  };
}

function* mapped<Item, Result>(rows: Iterable<Item>, map: (row: Item) => Result): Generator<Result> {
  for (const row of rows) yield map(row);
}
