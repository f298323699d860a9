import type { DuckDBListValue } from '@duckdb/node-api';
import { exactUint } from '../../core/contract/sonar/extended-uint.ts';
import type { JobKey, JobSample, ProcessCard, SampleSum, SumsBy, Window } from '../questions/rows.ts';
import type { Chosen } from '../sqlite/hot-series.ts';
import { jobSampleOf, type Ordered, processCardOf, sumOf } from '../store/answer-of-row.ts';
import { amount, number } from '../store/cells.ts';
import type { ArchiveRows, Cells } from './archive-rows.ts';
import type { ClosedDay } from './catalog.ts';
import { hourBegin } from '../store/days.ts';
import { slicesOfHours } from './slices-of-hours.ts';

const SUMS = `
  sum(case when p.ord is null then 0 else 1 + greatest(0, coalesce(p.rolledup, 0)) end)::double as processes,
  ${['rss', 'vm', 'threads', 'cpu_avg', 'cpu_util', 'cpu_time', 'data_read', 'data_written', 'data_cancelled']
    .map((column) => `sum(p.${column}) as ${column}`)
    .join(', ')}`;

/** Sums over processes from the files of closed days. */
export class ArchiveSeries {
  readonly #archive: ArchiveRows;

  constructor(archive: ArchiveRows) {
    this.#archive = archive;
  }

  async *sums(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
    { by, key, chosen }: { readonly by: SumsBy; readonly key: JobKey | undefined; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<SampleSum>[]> {
    const archive = this.#archive;
    const { sql, values } = archive.samples(days, window);
    const isOfNode = by === 'node';
    const keys = {
      node: '',
      job: 'p.job, p.epoch, p."user",',
      process: 'p.job, p.epoch, p."user", p.pid, p.ppid, p.cmd, p.slot, p.ord,',
    }[by];
    const ofKey = isOfNode || key === undefined ? 'true' : archive.ofJob(key);
    const ofUser = isOfNode || window.user === undefined ? 'true' : 'p."user" = $user';
    const processes = `(select * from ${archive.table(days, 'process')} p where ${ofKey} and ${ofUser} ${by === 'process' ? 'and p.ord is not null' : ''})`;
    const rows = archive.read(
      `select s.id, s.time, s.node, s.source, ${keys} ${SUMS}
       from ${sql} s ${isOfNode ? 'left join' : 'join'} ${processes} p on p.n = s.n ${preferring(chosen)}
       group by all order by s.time, s.id`,
      { ...values, ...pairsOf(chosen), ...(isOfNode || window.user === undefined ? {} : { user: window.user }) },
    );
    for await (const portion of rows) yield portion.map((row) => sumOf(row, cluster));
  }

  /** In the order of time. */
  async *jobSamples(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
    of: { readonly key: JobKey; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<JobSample>[]> {
    for (const slice of await this.#slicesOfJob(days, window, of.key))
      yield* this.#jobSamplesOf(cluster, days, { ...window, ...slice }, of);
  }

  /** Parts of a window with so many processes of a job as DuckDB has memory for: it keeps all lists of an answer until it is made. */
  async #slicesOfJob(
    days: readonly ClosedDay[],
    window: Window,
    key: JobKey,
  ): Promise<Pick<Window, 'from' | 'until'>[]> {
    const archive = this.#archive;
    const { sql, values } = archive.samples(days, window);
    const rows = archive.read(
      `select ${hourBegin('s.time')} as hour, count(*) as count from ${sql} s
       join (select p.n from ${archive.table(days, 'process')} p where ${archive.ofJob(key)}) p on p.n = s.n group by 1 order by 1`,
      values,
    );
    const hours = (await Array.fromAsync(rows)).flat();
    return slicesOfHours(
      hours.map((row) => ({ from: number(row, 'hour'), count: number(row, 'count') })),
      window,
    );
  }

  async *#jobSamplesOf(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
    { key, chosen }: { readonly key: JobKey; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<JobSample>[]> {
    const archive = this.#archive;
    const { sql, values } = archive.samples(days, window);
    const gpus = archive.table(days, 'process_gpu');
    const ofUser = window.user === undefined ? 'true' : 'p."user" = $user';
    const ofProcesses = (value: string) => `list(${value}) filter (where p.ord is not null)`;
    const rows = archive.read(
      `with own as (select * from ${archive.table(days, 'process')} p where ${archive.ofJob(key)} and ${ofUser}),
       sums as (
         select s.id, s.time, s.node, s.n, p.slot, p.job, p.epoch, p."user",
           sum(case when p.ord is null then 0 else 1 + greatest(0, coalesce(p.rolledup, 0)) end)::double as processes,
           sum(p.rss) as rss, sum(p.cpu_avg) as cpu_avg,
           ${ofProcesses('p.ord')} as ords, ${ofProcesses("case when p.pid <> 0 then p.pid::varchar else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce(p.cmd, '') end")} as names,
           ${ofProcesses('coalesce(p.ppid, 0)')} as ppids, ${ofProcesses('coalesce(p.cpu_time, 0)')} as cpu_times
         from ${sql} s join own p on p.n = s.n ${preferring(chosen)} group by all
       )
       select sums.* ${
         gpus === undefined
           ? 'from sums'
           : `, g.util, g.memory from sums left join (
                select n, slot, sum(util) as util, sum(memory) as memory from ${gpus} where n in (select n from sums) group by all
              ) g on g.n = sums.n and g.slot = sums.slot`
       }
       order by sums.time, sums.id, sums.slot`,
      { ...values, ...pairsOf(chosen), ...(window.user === undefined ? {} : { user: window.user }) },
    );
    for await (const portion of rows)
      yield portion.map((row) =>
        jobSampleOf(row, cluster, {
          ...countersOf(row),
          processes: number(row, 'processes'),
          rssKb: amount(row, 'rss'),
          cpuAvg: number(row, 'cpu_avg'),
          gpuUtil: number(row, 'util'),
          gpuMemoryKb: amount(row, 'memory'),
        }),
      );
  }

  async *cards(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
    { key, chosen }: { readonly key: JobKey | undefined; readonly chosen: Chosen },
  ): AsyncGenerator<readonly Ordered<ProcessCard>[]> {
    const archive = this.#archive;
    const gpus = archive.table(days, 'process_gpu');
    if (gpus === undefined) return;
    const { sql, values } = archive.samples(days, window);
    const ofUser = window.user === undefined ? 'true' : 'p."user" = $user';
    const rows = archive.read(
      `select s.id, s.time, s.node, p.job, p.epoch, p.pid, g.uuid, g.util, g.memory, g.memory_util
       from ${gpus} g join ${archive.table(days, 'process')} p on p.n = g.n and p.slot = g.slot and p.ord = g.ord
       join ${sql} s on s.n = g.n ${preferring(chosen)}
       where ${key === undefined ? 'true' : archive.ofJob(key)} and ${ofUser} order by s.time, s.id, g.slot, g.ord, g.item`,
      { ...values, ...pairsOf(chosen), ...(window.user === undefined ? {} : { user: window.user }) },
    );
    for await (const portion of rows) yield portion.map((row) => processCardOf(row, cluster));
  }
}

const preferring = (chosen: Chosen): string =>
  chosen === undefined
    ? ''
    : `join (select unnest(from_json($pairs, '["VARCHAR"]')) as pair) c on c.pair = s.node || ' ' || s.producer`;
const pairsOf = (chosen: Chosen) =>
  chosen === undefined ? {} : { pairs: JSON.stringify([...chosen].map(([node, producer]) => `${node} ${producer}`)) };

/** In the order of the processes. DuckDB would sort each list in memory of its own: thousands of them are more than it may use. */
function countersOf(row: Cells): Pick<JobSample, 'names' | 'ppids' | 'cpuTimes'> {
  const [ords, names, ppids, cpuTimes] = ['ords', 'names', 'ppids', 'cpu_times'].map((name) => items(row, name));
  const places = (ords ?? [])
    .map((ord, at) => ({ ord: Number(ord), at }))
    .toSorted((one, other) => one.ord - other.ord);
  return {
    names: places.map(({ at }) => String(names?.[at])),
    ppids: places.map(({ at }) => exactUint(BigInt(ppids?.[at] as bigint | number))),
    cpuTimes: places.map(({ at }) => exactUint(BigInt(cpuTimes?.[at] as bigint | number))),
  };
}

const items = (row: Cells, name: string) => (row[name] as DuckDBListValue | null)?.items ?? [];
