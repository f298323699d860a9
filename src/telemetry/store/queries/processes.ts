import { jobSampleOf, processCardOf, processOf, sampleSumOf, type SumsBy } from '../rows/samples.ts';
import type { SampleQuery } from './selection.ts';

/** Statements of processes and of what they add up to. `e` is a sample, `j` and `p` are its entries of jobs with their processes. */

const query = <Row>(of: SampleQuery<Row>): SampleQuery<Row> => of;

/** A process that others were rolled up into has their number. */
const COUNT = 'case when p.ord is null then 0 when p.rolledup > 0 then 1 + p.rolledup else 1 end';
const AMOUNTS = ['rss', 'vm', 'threads', 'cpu_time', 'data_read', 'data_written', 'data_cancelled'] as const;
const PERCENTAGES = ['cpu_avg', 'cpu_util'] as const;

/** SQLite has no larger integers than 64 bits, refuses a sum that is one, and would take a great value for a negative one: in two halves. */
const high = (column: string): string => `sum(${column} >> 32 & 4294967295)`;
const low = (column: string): string => `sum(${column} & 4294967295)`;
/** A percentage in thousandths, or as it is. */
const total = (column: string): string =>
  `total(case typeof(${column}) when 'integer' then ${column} / 1000.0 else ${column} end)`;
/** What is no number of JavaScript is a text in JSON. In the order of the key, by which the processes of an entry are read. */
const list = (value: string): string =>
  `json_group_array(case when ${value} between 0 and ${Number.MAX_SAFE_INTEGER} then ${value} else cast(${value} as text) end)`;
/** In PostgreSQL, where a sum of signed integers has any number of digits. */
export const exactly = (column: string): string =>
  `(sum(${column}) + 18446744073709551616 * count(*) filter (where ${column} < 0))::text`;

const SUMS = {
  sqlite: [
    `total(${COUNT}) as processes`,
    ...AMOUNTS.map((name) => `${high(`p.${name}`)} as ${name}_high, ${low(`p.${name}`)} as ${name}_low`),
    ...PERCENTAGES.map((name) => `${total(`p.${name}`)} as ${name}`),
  ].join(', '),
  duckdb: [
    `sum(${COUNT}) as processes`,
    ...[...AMOUNTS, ...PERCENTAGES].map((name) => `sum(p.${name}) as ${name}`),
  ].join(', '),
  postgres: [
    `sum(${COUNT}) as processes`,
    ...AMOUNTS.map((name) => `${exactly(`p.${name}`)} as ${name}`),
    ...PERCENTAGES.map((name) => `sum(p.${name}) as ${name}`),
  ].join(', '),
};

export const processes = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: processOf,
  // What is `beside` is one value, because each would be looked up anew for each row.
  sqlite: (where) => `
    select e.id, e.time, n.name as node, u.name as "user", j.job, j.epoch, j.slot,
      p.ord, p.pid, p.ppid, m.name as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup, (
        select json_object('gpu_util', ${total('g.util')}, 'gpu_memory_high', ${high('g.memory')},
          'gpu_memory_low', ${low('g.memory')}, 'cards', group_concat(k.name, ' '))
        from process_gpu g join gpu k on k.id = g.gpu
        where g.envelope = e.id and g.slot = j.slot and g.ord = p.ord having count(*) > 0
      ) as beside
    from envelope e join node n on n.id = e.node join sample_job j on j.envelope = e.id join user u on u.id = j.user
      left join process p on p.envelope = j.envelope and p.slot = j.slot left join cmd m on m.id = p.cmd
    where ${where.entries} order by e.time, e.id, j.slot, p.ord nulls first`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, p."user" as "user", p.job, p.epoch, p.slot,
      p.ord, p.pid, p.ppid, p.cmd as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup, b.gpu_util, b.gpu_memory, b.cards
    from ${file('process')} p join ${file('sample')} e on e.n = p.n left join (
      select n, slot, ord, sum(g.util) as gpu_util, sum(g.memory) as gpu_memory, string_agg(g.uuid, ' ' order by g.item) as cards
      from ${file('process_gpu')} g group by n, slot, ord
    ) b on b.n = e.n and b.slot = p.slot and b.ord = p.ord
    where ${where.entries} order by e.time, e.id, p.slot, p.ord nulls first`,
  // Cards by the index for each row: how many there are, the planner does not know while a day is written.
  postgres: (where, ofCards) => `
    select p.envelope as id, p.time, n.name as node, p."user" as "user", p.job, p.epoch, p.slot,
      p.ord, p.pid, p.ppid, p.cmd as cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup ${ofCards(', b.gpu_util, b.gpu_memory, b.cards')}
    from sonar.process p join sonar.node n on n.id = p.node ${ofCards(`left join lateral (
      select sum(g.util) as gpu_util, ${exactly('g.memory')} as gpu_memory, string_agg(k.name, ' ' order by g.item) as cards
      from sonar.process_gpu g join sonar.gpu k on k.id = g.gpu
      where g.time = p.time and g.time >= $2 and g.time < $3 and g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord
    ) b on true`)}
    where ${where.entries} order by p.time, p.envelope, p.slot, p.ord nulls first`,
});

/** Also of nodes without a process; what one user has of them is not asked for. */
const nodeSums = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: sampleSumOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, s.name as source, ${SUMS.sqlite}
    from envelope e join node n on n.id = e.node join source s on s.id = e.source left join process p on p.envelope = e.id
    where ${where.samples} group by e.time, e.id order by e.time, e.id`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.source as source, ${SUMS.duckdb}
    from ${file('sample')} e left join ${file('process')} p on p.n = e.n
    where ${where.samples} group by all order by e.time, e.id`,
  postgres: (where) => `
    select e.id, e.time, n.name as node, s.name as source, ${SUMS.postgres}
    from sonar.envelope e join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
      left join sonar.process p on p.time = e.time and p.time >= $2 and p.time < $3 and p.envelope = e.id
    where ${where.samples} group by e.time, e.id, n.name, s.name order by e.time, e.id`,
});

const jobSums: typeof nodeSums = query({
  ...nodeSums,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, s.name as source, j.job, j.epoch, u.name as "user", ${SUMS.sqlite}
    from envelope e join node n on n.id = e.node join source s on s.id = e.source
      join sample_job j on j.envelope = e.id join user u on u.id = j.user
      left join process p on p.envelope = j.envelope and p.slot = j.slot
    where ${where.entries} group by e.time, e.id, j.job, j.epoch, u.name order by e.time, e.id`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.source as source, p.job, p.epoch, p."user" as "user", ${SUMS.duckdb}
    from ${file('process')} p join ${file('sample')} e on e.n = p.n
    where ${where.entries} group by all order by e.time, e.id`,
  postgres: (where) => `
    select p.envelope as id, p.time, n.name as node, s.name as source, p.job, p.epoch, p."user" as "user", ${SUMS.postgres}
    from sonar.process p join sonar.node n on n.id = p.node
      join sonar.envelope e on e.time = p.time and e.time >= $2 and e.time < $3 and e.id = p.envelope join sonar.source s on s.id = e.source
    where ${where.entries}
    group by p.time, p.envelope, p.job, p.epoch, p."user", n.name, s.name order by p.time, p.envelope`,
});

const processSums: typeof nodeSums = query({
  ...nodeSums,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, s.name as source, j.job, j.epoch, u.name as "user", ${SUMS.sqlite},
      j.slot, p.ord, p.pid, p.ppid, m.name as cmd
    from envelope e join node n on n.id = e.node join source s on s.id = e.source
      join sample_job j on j.envelope = e.id join user u on u.id = j.user
      left join process p on p.envelope = j.envelope and p.slot = j.slot left join cmd m on m.id = p.cmd
    where ${where.entries} and p.ord is not null group by e.time, e.id, j.slot, p.ord order by e.time, e.id`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.source as source, p.job, p.epoch, p."user" as "user", ${SUMS.duckdb},
      p.slot, p.ord, p.pid, p.ppid, p.cmd as cmd
    from ${file('process')} p join ${file('sample')} e on e.n = p.n
    where ${where.entries} and p.ord is not null group by all order by e.time, e.id`,
  postgres: (where) => `
    select p.envelope as id, p.time, n.name as node, s.name as source, p.job, p.epoch, p."user" as "user", ${SUMS.postgres},
      p.slot, p.ord, p.pid, p.ppid, p.cmd as cmd
    from sonar.process p join sonar.node n on n.id = p.node
      join sonar.envelope e on e.time = p.time and e.time >= $2 and e.time < $3 and e.id = p.envelope join sonar.source s on s.id = e.source
    where ${where.entries} and p.ord is not null
    group by p.time, p.envelope, p.slot, p.ord, n.name, s.name, p.job, p.epoch, p."user", p.pid, p.ppid, p.cmd
    order by p.time, p.envelope`,
});

export const sampleSums: Readonly<Record<SumsBy, typeof nodeSums>> = {
  node: nodeSums,
  job: jobSums,
  process: processSums,
};

/** One row for all processes of an entry: a row for each costs ten times as much. */
export const jobSamples = query({
  order: 'time',
  isOfProcesses: true,
  hasLists: true,
  rowOf: jobSampleOf,
  // What was added up when a sample was stored, `job_sums`, stands in place of its processes.
  sqlite: (where) => {
    const name = `case when p.pid <> 0 then p.pid else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce((select m.name from cmd m where m.id = p.cmd), '') end`;
    return `
      with sums as (
        select e.id, e.time, n.name as node, u.name as "user", j.job, j.epoch, j.slot,
          w.rss as stored_rss, w.cpu_avg as stored_cpu_avg, w.counters, case when w.counters is null then (
            select json_object('processes', total(${COUNT}), 'rss_high', ${high('p.rss')}, 'rss_low', ${low('p.rss')},
              'cpu_avg', ${total('p.cpu_avg')}, 'names', ${list(name)},
              'ppids', ${list('coalesce(p.ppid, 0)')}, 'cpu_times', ${list('coalesce(p.cpu_time, 0)')})
            from process p where p.envelope = j.envelope and p.slot = j.slot
          ) end as sums
        from envelope e join node n on n.id = e.node join sample_job j on j.envelope = e.id join user u on u.id = j.user
          left join job_sums w on w.envelope = j.envelope and w.slot = j.slot
        where ${where.entries}
      )
      select sums.*, (
        select json_object('gpu_util', ${total('g.util')}, 'gpu_memory_high', ${high('g.memory')}, 'gpu_memory_low', ${low('g.memory')})
        from process_gpu g where g.envelope = sums.id and g.slot = sums.slot having count(*) > 0
      ) as beside
      from sums order by sums.time, sums.id, sums.slot`;
  },
  // DuckDB would sort each list in memory of its own: thousands of them are more than it may use. So `ords` say the order.
  duckdb: (where, file) => {
    const name = `case when p.pid <> 0 then cast(p.pid as text) else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce(p.cmd, '') end`;
    const listOf = (value: string) => `list(${value}) filter (where p.ord is not null)`;
    return `
      with sums as (
        select e.id, e.time, e.n, e.node as node, p."user" as "user", p.job, p.epoch, p.slot,
          sum(${COUNT}) as processes, sum(p.rss) as rss, sum(p.cpu_avg) as cpu_avg, ${listOf('p.ord')} as ords,
          ${listOf(name)} as names, ${listOf('coalesce(p.ppid, 0)')} as ppids, ${listOf('coalesce(p.cpu_time, 0)')} as cpu_times
        from ${file('process')} p join ${file('sample')} e on e.n = p.n
        where ${where.entries} group by all
      )
      select sums.*, b.gpu_util, b.gpu_memory from sums left join (
        select n, slot, sum(g.util) as gpu_util, sum(g.memory) as gpu_memory
        from ${file('process_gpu')} g where n in (select n from sums) group by n, slot
      ) b on b.n = sums.n and b.slot = sums.slot
      order by sums.time, sums.id, sums.slot`;
  },
  postgres: (where, ofCards) => {
    const name = `case when p.pid <> 0 then cast(p.pid as text) else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce((select m.name from sonar.cmd m where m.id = p.cmd), '') end`;
    const listOf = (value: string) => `(json_agg(${value}) filter (where p.ord is not null))::text`;
    return `
      with sums as (
        select p.envelope as id, p.time, n.name as node, p."user" as "user", p.job, p.epoch, p.slot,
          sum(${COUNT}) as processes, ${exactly('p.rss')} as rss, sum(p.cpu_avg) as cpu_avg, ${listOf('p.ord')} as ords,
          ${listOf(name)} as names, ${listOf('coalesce(p.ppid, 0)')} as ppids, ${listOf('coalesce(p.cpu_time, 0)')} as cpu_times
        from sonar.process p join sonar.node n on n.id = p.node
        where ${where.entries} group by p.time, p.envelope, p.slot, n.name, p."user", p.job, p.epoch
      )
      select sums.* ${ofCards(', b.gpu_util, b.gpu_memory')} from sums ${ofCards(`left join lateral (
        select sum(g.util) as gpu_util, ${exactly('g.memory')} as gpu_memory from sonar.process_gpu g
        where g.time = sums.time and g.time >= $2 and g.time < $3 and g.envelope = sums.id and g.slot = sums.slot
      ) b on true`)}
      order by sums.time, sums.id, sums.slot`;
  },
});

export const processCards = query({
  order: 'time',
  isOfProcesses: true,
  rowOf: processCardOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, j.job, j.epoch, p.pid, k.name as uuid, g.util, g.memory, g.memory_util
    from envelope e join node n on n.id = e.node join sample_job j on j.envelope = e.id join user u on u.id = j.user
      left join process p on p.envelope = j.envelope and p.slot = j.slot
      join process_gpu g on g.envelope = e.id and g.slot = j.slot and g.ord = p.ord join gpu k on k.id = g.gpu
    where ${where.entries} order by e.time, e.id, g.slot, g.ord, g.item`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, p.job, p.epoch, p.pid, g.uuid as uuid, g.util, g.memory, g.memory_util
    from ${file('process')} p join ${file('sample')} e on e.n = p.n
      join ${file('process_gpu')} g on g.n = e.n and g.slot = p.slot and g.ord = p.ord
    where ${where.entries} order by e.time, e.id, g.slot, g.ord, g.item`,
  postgres: (where, ofCards) =>
    ofCards(`
    select p.envelope as id, p.time, n.name as node, p.job, p.epoch, p.pid, k.name as uuid, g.util, g.memory, g.memory_util
    from sonar.process p join sonar.node n on n.id = p.node
      join sonar.process_gpu g on g.time = p.time and g.time >= $2 and g.time < $3 and g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord
      join sonar.gpu k on k.id = g.gpu
    where ${where.entries} order by p.time, p.envelope, g.slot, g.ord, g.item`),
});
