/** SQL of hours without samples. Parameters: $1 cluster, $2 from, $3 until, $4 node. */

const NAME = 'n.name collate "C"';

/** Days of which samples were deleted, and the hours of these days that have samples again: these count. */
const LOST = `
  lost as materialized (
    select day from sonar.day where cluster = $1 and has_lost and day >= $2::bigint / 86400 and day <= $3::bigint / 86400
  ),
  present as materialized (
    select distinct s.node, s.time / 3600 as hour from lost l cross join lateral (
      select e.node, e.time from sonar.envelope e
      where e.cluster = $1 and e.type = 'sample' and e.time >= l.day * 86400 and e.time < (l.day + 1) * 86400
    ) s
  )`;

const WITHOUT_SAMPLES = (table: string): string => `
  from sonar.${table} h join lost l on l.day = h.time / 86400 join sonar.node n on n.id = h.node
  left join present p on p.node = h.node and p.hour = h.time / 3600
  where h.cluster = $1 and h.time >= $2 and h.time < $3 and ($4::text is null or n.name = $4 or n.short = $4) and p.node is null`;

export const NODE_HOURS = `
  with ${LOST} select h.*, n.name as node_name ${WITHOUT_SAMPLES('node_hour')} order by h.time, ${NAME}`;

export const HOURLY_SPAN = `
  with ${LOST} select min(h.time) as first, max(h.time) as last ${WITHOUT_SAMPLES('node_hour')}`;

/**
 * Whole days within the window and without samples: the tables of days say the same in a 24th of the rows. What is left is read hour
 * by hour, a day at a time, so that the days that are not left are not read.
 */
const WHOLE = `
  whole as materialized (
    select day from lost l where l.day * 86400 >= $2 and (l.day + 1) * 86400 <= $3
      and not exists (select from present p where p.hour / 24 = l.day)
      and exists (select from sonar.node_day d where d.cluster = $1 and d.time = l.day * 86400)
  ),
  rest as materialized (select day from lost except select day from whole),
  wanted as materialized (select id, name, row_number() over (order by ${NAME}) as place from sonar.node n where n.cluster = $1 and ($4::text is null or n.name = $4 or n.short = $4))`;

const OF_WHOLE_DAYS = (table: string): string => `
  from sonar.${table} h where h.cluster = $1 and h.time in (select day * 86400 from whole) and h.node in (select id from wanted)`;

const OF_REST = (table: string): string => `
  from rest r cross join lateral (
    select * from sonar.${table} h
    where h.cluster = $1 and h.time >= r.day * 86400 and h.time < (r.day + 1) * 86400 and h.time >= $2 and h.time < $3
  ) h
  where h.node in (select id from wanted) and not exists (select from present p where p.node = h.node and p.hour = h.time / 3600)`;

const addedUp = (column: string): string => `sum(h.${column} * h.samples) / sum(h.samples)`;

const NODE_FIGURES = `
  min(h.first) as first, max(h.last) as last, max(h.boot) as boot, sum(h.samples) as samples, max(h.cores) as cores,
  ${addedUp('cpu_percent')} filter (where h.cpu_percent is not null) as cpu_percent, ${addedUp('used_memory_kb')} as used_memory_kb, ${addedUp('load1')} as load1, max(h.cards) as cards,
  ${addedUp('gpu_percent')} filter (where h.gpu_percent is not null) as gpu_percent, ${addedUp('gpu_memory_kb')} as gpu_memory_kb`;

/** One row for a node and an interval. $5: its length, $6: whether it has whole days. */
export const NODE_STEPS = `
  with ${LOST}, ${WHOLE.replace('where l.day', 'where $6 and l.day')}, steps as (
    select h.node, h.time - h.time % $5::bigint as time, ${NODE_FIGURES} from (
      select h.* ${OF_WHOLE_DAYS('node_day')} union all select h.* ${OF_REST('node_hour')}
    ) h group by 1, 2
  )
  select w.name as node_name, s.* from steps s join wanted w on w.id = s.node order by s.time, w.name collate "C"`;

/** $5: user, $6: job, $7: epoch. */
export const JOB_HOURS = `
  with ${LOST}
  select h.*, n.name as node_name, u.name as user_name, m.name as cmd_name
  ${WITHOUT_SAMPLES('job_hour').replace(' where ', ' join sonar."user" u on u.id = h."user" left join sonar.cmd m on m.id = h.cmd where ')}
    and ($5::text is null or u.name = $5) and ($6::bigint is null or h.job = $6) and ($7::bigint is null or h.epoch = $7)
  order by h.time, ${NAME}`;

/** Days within the window of which all samples are added up and none is deleted. */
export const CLOSED_DAYS = `
  select day from sonar.day
  where cluster = $1 and closed is not null and not has_lost and day * 86400 >= $2::bigint and (day + 1) * 86400 <= $3::bigint order by day`;

/** Of one job in such days. $2: the days, $3: node, $4: user, $5: job, $6: epoch. */
export const CLOSED_JOB_HOURS = `
  select h.*, n.name as node_name, u.name as user_name, m.name as cmd_name
  from sonar.job_hour h join sonar.node n on n.id = h.node join sonar."user" u on u.id = h."user" left join sonar.cmd m on m.id = h.cmd
  where h.cluster = $1 and h.time / 86400 = any($2::bigint[]) and ($3::text is null or n.name = $3 or n.short = $3)
    and ($4::text is null or u.name = $4) and h.job = $5 and ($6::bigint is null or h.epoch = $6)
  order by h.time, ${NAME}`;

const JOB_COLUMNS = `
  node, time, job, epoch, "user", cmd, first, last, samples, processes, cpu_seconds, peak_cpu_percent, memory_kb, peak_memory_kb, gpu_percent,
  peak_gpu_memory_kb, cards`;

const JOB_FIGURES = `
  min(h.first) as first, max(h.last) as last, sum(h.samples)::int as samples, ${addedUp('processes')} as processes, sum(h.cpu_seconds) as cpu_seconds,
  max(h.peak_cpu_percent) as peak_cpu_percent, ${addedUp('memory_kb')} as memory_kb, max(h.peak_memory_kb) as peak_memory_kb,
  ${addedUp('gpu_percent')} as gpu_percent, max(h.peak_gpu_memory_kb) as peak_gpu_memory_kb`;
const CARDS = `coalesce(string_agg(distinct nullif(h.cards, ''), ' '), '') as cards`;

/** The columns of `JOB_TOTALS`: numbers, and cards. */
export const TOTAL_COLUMNS =
  'node user cmd job epoch time first last samples processes cpu_seconds peak_cpu_percent memory_kb peak_memory_kb gpu_percent peak_gpu_memory_kb cards'.split(
    ' ',
  );

/** As JSON. Integers of 64 bits that JSON readers would round are texts. */
const JSON_OF: Readonly<Record<string, string>> = {
  cmd: 'coalesce(cmd, 0)',
  job: `case when job between 0 and ${Number.MAX_SAFE_INTEGER} then job::text else '"' || job || '"' end`,
  cards: `case when coalesce(cards, '') = '' then '""' else to_json(cards)::text end`,
  epoch: `case when epoch between 0 and ${Number.MAX_SAFE_INTEGER} then epoch::text else '"' || epoch || '"' end`,
};
const OF_USER = `($5::text is null or h."user" = (select id from sonar."user" where name = $5))`;
const listOf = (name: string): string =>
  `'[' || string_agg(${JSON_OF[name] ?? `"${name}"`}::text, ',') || ']' as "${name}"`;

/**
 * Of each job of Slurm one value a column for a node and a command: its id is never used again, so no gap ends it. Of others every
 * hour. $5: user. The one row has a list for each column: a month of a site has a million totals, and lists of
 * numbers are read several times as fast as rows of them. A card may stand several times in its
 * list: without repetition the server would sort all rows for the few that have any. Time and node are one number to sort by, because
 * many rows have the same time.
 */
export const JOB_TOTALS = `
  with ${LOST}, ${WHOLE},
  hours as materialized (select ${JOB_COLUMNS} ${OF_REST('job_hour')}),
  totals as (
    select h.node, min(h.time) as time, h.job, 0::bigint as epoch, h."user", h.cmd, ${JOB_FIGURES}, string_agg(nullif(h.cards, ''), ' ') as cards from (
      select ${JOB_COLUMNS} ${OF_WHOLE_DAYS('job_day')} union all select * from hours where epoch = 0
    ) h where ${OF_USER} group by h.node, h.job, h."user", h.cmd
    union all
    select * from (
      select * from hours where epoch <> 0
      union all
      select ${JOB_COLUMNS} from whole w cross join lateral (
        select * from sonar.job_hour h where h.cluster = $1 and h.time >= w.day * 86400 and h.time < (w.day + 1) * 86400 and h.epoch <> 0
      ) h where h.node in (select id from wanted)
    ) h where ${OF_USER}
  )
  select ${TOTAL_COLUMNS.map(listOf).join(', ')}
  from (select h.* from totals h join wanted w on w.id = h.node order by h.time * (select count(*) + 1 from wanted) + w.place) as ordered`;

/** Adds up the hours of a day. $2, $3: its begin and end. */
export const ADD_UP_DAY = [
  `delete from sonar.node_day where cluster = $1 and time >= $2 and time < $3`,
  `insert into sonar.node_day
   select h.cluster, h.time - h.time % 86400, h.node, ${NODE_FIGURES}
   from sonar.node_hour h where h.cluster = $1 and h.time >= $2 and h.time < $3 group by 1, 2, 3`,
  `delete from sonar.job_day where cluster = $1 and time >= $2 and time < $3`,
  `insert into sonar.job_day
   select h.cluster, h.time - h.time % 86400, h.node, h.job, 0, h."user", h.cmd, ${JOB_FIGURES}, ${CARDS}
   from sonar.job_hour h where h.cluster = $1 and h.time >= $2 and h.time < $3 and h.epoch = 0 group by 1, 2, 3, 4, 6, 7`,
];
