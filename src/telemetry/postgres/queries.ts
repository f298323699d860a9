/** SQL of the exact sum of a column that has unsigned integers of 64 bits as signed ones, with all digits. */
const sumAs = (column: string, name: string): string =>
  `(sum(${column}) + 18446744073709551616 * count(*) filter (where ${column} < 0))::text as ${name}`;

/** SQL of the questions. Parameters: $1 cluster, $2 from, $3 until, $4 node; names are compared byte by byte. */

const OF_NODE = '($4::text is null or n.name = $4 or n.short = $4)';
const SAMPLES = `e.cluster = $1 and e.type = 'sample' and e.time >= $2 and e.time < $3`;
const NAME = 'n.name collate "C"';

/**
 * Where two producers send samples of one node, such as the daemon of a site and a runner, every process would count twice. One
 * of them is read for each node: the one that samples the whole node, then the one with more samples.
 */
const preferred = (where: string): string => `
  preferred as materialized (
    select distinct on (node) node, producer from (
      select e.node, s.producer, bool_or(s.is_part) as is_part, count(*) as samples
      from sonar.envelope e join producers s on s.id = e.source
      where ${where} and e.node is not null group by e.node, s.producer
    ) as each order by node, is_part, samples desc, producer collate "C"
  )`;

const PRODUCERS = `
  producers as materialized (
    select id, name::jsonb ->> 'producer' as producer, name like '%"scope"%"jobs"%' as is_part from sonar.source
  )`;

/** By the index for each process: how many there are, the planner does not know while a day is written. */
const GPU_USE = `
  left join lateral (
    select sum(g.util) as gpu_util, ${sumAs('g.memory', 'gpu_memory')}, string_agg(c.name, ' ' order by g.item) as cards
    from sonar.process_gpu g join sonar.gpu c on c.id = g.gpu
    where g.time = p.time and g.time >= $2 and g.time < $3 and g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord
  ) g on true`;

/** Users and commands are numbers: their names are read once, and need not be planned and sent with each row. */
const PROCESS = `
  p.envelope as id, p.time, n.name as node, p."user", p.job, p.epoch, p.slot, p.ord, p.pid, p.ppid, p.cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup`;

/** Bounds of the time for each table: only those of days within them are planned and read. */
const OF_PREFERRED = `
  join sonar.envelope e on e.time = p.time and e.time >= $2 and e.time < $3 and e.id = p.envelope
  join preferred r on r.node = p.node
  join producers o on o.id = e.source and o.producer = r.producer`;

const IN_WINDOW = `p.cluster = $1 and p.time >= $2 and p.time < $3 and ${OF_NODE}`;
const WANTED = `${IN_WINDOW} and ($5::text is null or u.name = $5)`;
const WANTED_BY_ID = `${IN_WINDOW} and ($5::text is null or p."user" = (select id from sonar."user" where name = $5))`;

/**
 * The clusters of a window, $1 or all, whether samples of its days ($2 to $3) were deleted, and of the store how many producers it has, that is
 * whether there is a choice of them at all, and whether it has cards.
 */
export const CLUSTERS = `
  select c.id, c.name, (select count(distinct s.name::jsonb ->> 'producer') from sonar.source s) as producers,
    exists (select from sonar.gpu) as has_cards, exists (
      select from sonar.day where cluster = c.id and has_lost and day >= $2::bigint / 86400 and day <= $3::bigint / 86400
    ) as has_lost_days
  from sonar.cluster c where ($1::text is null or c.name = $1) order by c.name collate "C"`;

/** What a store has decides what a statement must look into. */
export interface Kind {
  /** One producer sent all samples: none has to be chosen for a node. */
  readonly hasOneProducer: boolean;
  readonly hasCards: boolean;
}

/** Of one job only its own rows are read: a window may have millions of others. $5: user, $6: job, $7: epoch. */
const OF_JOB = 'p.job = $6 and ($7::bigint is null or p.epoch = $7)';
const OWN = `
  ${PRODUCERS},
  own as materialized (select distinct p.time, p.envelope from sonar.process p where p.cluster = $1 and p.time >= $2 and p.time < $3 and ${OF_JOB}),
  ${preferred('e.time >= $2 and e.time < $3 and (e.time, e.id) in (select time, envelope from own)')}`;

/** $5: user. */
export const processes = ({ hasOneProducer, hasCards }: Kind, isOfJob: boolean): string => `
  ${hasOneProducer ? '' : `with ${isOfJob ? OWN : `${PRODUCERS}, ${preferred(SAMPLES)}`}`}
  select ${PROCESS} ${hasCards ? ', g.gpu_util, g.gpu_memory, g.cards' : ''}
  from sonar.process p ${hasOneProducer ? '' : OF_PREFERRED} join sonar.node n on n.id = p.node ${hasCards ? GPU_USE : ''}
  where ${WANTED_BY_ID} ${isOfJob ? `and ${OF_JOB}` : ''} order by p.time, ${NAME}, p.envelope, p.slot, p.ord`;

/** Of each node the first entry of its index: all samples of a day would take a hundred times as long. */
export const FIRST_SAMPLES = `
  select n.name as node, first.time from sonar.node n cross join lateral (
    select e.time from sonar.envelope e where e.node = n.id and ${SAMPLES} order by e.time limit 1
  ) first where n.cluster = $1 and ${OF_NODE}`;

export const SAMPLE_TIMES = `
  select n.name as node, e.time, s.boot from sonar.envelope e join sonar.node n on n.id = e.node
  left join sonar.node_sample s on s.time = e.time and s.envelope = e.id
  where ${SAMPLES} and ${OF_NODE} order by ${NAME}, e.time, e.id`;

export const NODE_SAMPLES = `
  select e.id, n.name as node, e.time, s.used_memory, s.cpus, s.load1, g.cards, g.gpu_util, g.gpu_memory
  from sonar.envelope e join sonar.node_sample s on s.time = e.time and s.envelope = e.id join sonar.node n on n.id = e.node
  left join lateral (
    select count(*) as cards, avg(sonar.uint64(coalesce(g.ce_util, 0)))::float8 as gpu_util, ${sumAs('g.memory', 'gpu_memory')}
    from sonar.gpu_sample g where g.time = e.time and g.envelope = e.id
  ) g on true
  where ${SAMPLES} and ${OF_NODE} order by ${NAME}, e.time, e.id`;

const CARDS = `
  select n.name as node, g.*, u.name as uuid, s.name as source, e.id
  from sonar.envelope e join sonar.gpu_sample g on g.time = e.time and g.envelope = e.id join sonar.gpu u on u.id = g.gpu
  join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
  where ${SAMPLES} and ${OF_NODE}`;

export const CARD_SAMPLES = `${CARDS} order by ${NAME}, e.time, e.id, g.item`;

export const NEWEST_CARDS = `
  select * from (select distinct on (node, uuid) * from (${CARDS}) as each order by node, uuid, time desc, id desc) as newest
  order by node collate "C", idx nulls first, uuid collate "C"`;

export const DISK_SAMPLES = `
  select e.id, n.name as node, e.time, k.name as disk, d.major, d.minor, d.stats
  from sonar.envelope e join sonar.disk_sample d on d.time = e.time and d.envelope = e.id join sonar.disk k on k.id = d.disk
  join sonar.node n on n.id = e.node
  where ${SAMPLES} and ${OF_NODE} order by ${NAME}, e.time, e.id, d.item`;

/** $2: until, $3: node. */
export const SYSINFO = `
  select n.name as node, e.time, c.text,
    coalesce(
      (select max(s.time) from sonar.envelope s where s.node = n.id and s.type = 'sample' and s.time < $2),
      (select h.last from sonar.node_hour h where h.node = n.id and h.last < $2 order by h.time desc limit 1)
    ) as sampled
  from sonar.node n
  left join lateral (
    select i.time, i.content from sonar.envelope i where i.node = n.id and i.type = 'sysinfo' and i.time < $2
    order by i.time desc, i.id desc limit 1
  ) e on true
  left join sonar.content c on c.id = e.content
  where n.cluster = $1 and ($3::text is null or n.name = $3 or n.short = $3) order by ${NAME}`;

/** $1: the name of the cluster, $2: until. */
export const CLUSTER_STATE = `
  select b.text from sonar.envelope e join sonar.cluster c on c.id = e.cluster join sonar.content b on b.id = e.content
  where c.name = $1 and e.type = 'cluster' and e.time < $2 order by e.time desc, e.id desc limit 1`;

export const SLURM_JOBS = `
  select * from sonar.job where cluster = $1 and step = '' and seen >= $2 and coalesce(submit, seen) < $3 order by job_id`;

export const SLURM_JOB = `select * from sonar.job where cluster = $1 and job_id = $2 order by step collate "C"`;

export const LINKS = `
  select l.*, n.name as node_name from sonar.link l join sonar.node n on n.id = l.node
  where l.cluster = $1 and l.job = $2 and ($3::bigint is null or l.epoch = $3) order by l.time, l.pid`;

/** Sums of unsigned integers of 64 bits. */
const total = (column: string): string => sumAs(`p.${column}`, column);
const SUMS = `
  sum(case when p.ord is null then 0 else 1 + greatest(0, coalesce(p.rolledup, 0)) end)::float8 as processes, ${total('rss')}, ${total('vm')},
  ${total('threads')}, sum(p.cpu_avg) as cpu_avg, sum(p.cpu_util) as cpu_util, ${total('cpu_time')}, ${total('data_read')},
  ${total('data_written')}, ${total('data_cancelled')}`;

const OF_SAMPLE = 'e.id, e.time, n.name as node, s.name as source';
const IS_PREFERRED = `
  join preferred r on r.node = e.node join producers o on o.id = e.source and o.producer = r.producer
  join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source`;

/** Also of samples without a process. */
export const NODE_SUMS = `
  with ${PRODUCERS}, ${preferred(SAMPLES)}
  select ${OF_SAMPLE}, ${SUMS} from sonar.envelope e ${IS_PREFERRED}
  left join sonar.process p on p.time = e.time and p.envelope = e.id
  where ${SAMPLES} and ${OF_NODE} group by e.id, e.time, n.name, s.name order by e.time, e.id`;

/** $5: user, $6: job, $7: epoch; each may be null. */
const sums = (keys: string, groups: string, where: string): string => `
  with ${PRODUCERS}, ${preferred(SAMPLES)}
  select ${OF_SAMPLE}, p.job, p.epoch, u.name as "user", ${keys} ${SUMS}
  from sonar.process p join sonar.envelope e on e.time = p.time and e.id = p.envelope ${IS_PREFERRED}
  join sonar."user" u on u.id = p."user" left join sonar.cmd m on m.id = p.cmd
  where ${WANTED} and ($6::bigint is null or p.job = $6) and ($7::bigint is null or p.epoch = $7) ${where}
  group by e.id, e.time, n.name, s.name, p.job, p.epoch, u.name ${groups} order by e.time, e.id`;
export const JOB_SUMS = sums('', '', '');
export const PROCESS_SUMS = sums(
  'p.pid, p.ppid, m.name as cmd,',
  ', p.pid, p.ppid, m.name, p.slot, p.ord',
  'and p.ord is not null',
);

export const PROCESS_CARDS = `
  with ${PRODUCERS}, ${preferred(SAMPLES)}
  select ${OF_SAMPLE}, p.job, p.epoch, p.pid, c.name as uuid, g.util, g.memory, g.memory_util
  from sonar.process p join sonar.envelope e on e.time = p.time and e.id = p.envelope ${IS_PREFERRED}
  join sonar."user" u on u.id = p."user"
  join sonar.process_gpu g on g.time = p.time and g.envelope = p.envelope and g.slot = p.slot and g.ord = p.ord
  join sonar.gpu c on c.id = g.gpu
  where ${WANTED} and ($6::bigint is null or p.job = $6) and ($7::bigint is null or p.epoch = $7)
  order by e.time, e.id, g.slot, g.ord, g.item`;

/** One row for all processes of an entry. $5: user, $6: job, $7: epoch. */
export const jobSamples = ({ hasOneProducer, hasCards }: Kind): string => `
  with ${hasOneProducer ? '' : `${OWN},`} sums as (
    select p.envelope, p.time, p.node, p."user", p.job, p.epoch, p.slot,
      sum(case when p.ord is null then 0 else 1 + greatest(0, coalesce(p.rolledup, 0)) end)::float8 as processes,
      ${sumAs('p.rss', 'rss')}, sum(p.cpu_avg) as cpu_avg,
      coalesce(json_agg(json_build_array(
        case when p.pid <> 0 then p.pid::text
          else '0 ' || coalesce(p.ppid, 0) || ' ' || coalesce((select m.name from sonar.cmd m where m.id = p.cmd), '') end,
        coalesce(p.ppid, 0), coalesce(p.cpu_time, 0)
      ) order by p.ord) filter (where p.ord is not null), '[]')::text as counters
    from sonar.process p ${hasOneProducer ? '' : OF_PREFERRED} join sonar.node n on n.id = p.node
    where ${WANTED_BY_ID} and ${OF_JOB} group by 1, 2, 3, 4, 5, 6, 7
  )
  select p.envelope as id, p.time, n.name as node, p."user", p.job, p.epoch, p.slot, p.processes, p.rss, p.cpu_avg, p.counters ${hasCards ? ', g.gpu_util, g.gpu_memory' : ''}
  from sums p join sonar.node n on n.id = p.node ${hasCards ? GPU_USE_OF_ENTRY : ''}
  order by p.time, ${NAME}, p.envelope, p.slot`;

const GPU_USE_OF_ENTRY = `
  left join lateral (
    select sum(g.util) as gpu_util, ${sumAs('g.memory', 'gpu_memory')} from sonar.process_gpu g
    where g.time = p.time and g.time >= $2 and g.time < $3 and g.envelope = p.envelope and g.slot = p.slot
  ) g on true`;

/** $2: user, $3: states, $4 and $5: submitted, $6 and $7: started, $8 and $9: ended, $10 and $11: seconds, $12: now, $13: job. */
const SELECTED = `
  from sonar.job where cluster = $1 and step = '' and ($2::text is null or "user" = $2) and ($3::text[] is null or state = any($3))
    and ($4::bigint is null or coalesce(submit, seen) >= $4) and ($5::bigint is null or coalesce(submit, seen) <= $5)
    and ($6::bigint is null or start >= $6) and ($7::bigint is null or start <= $7)
    and ($8::bigint is null or "end" >= $8) and ($9::bigint is null or "end" <= $9)
    and ($10::bigint is null or coalesce("end", $12::bigint) - start >= $10)
    and ($11::bigint is null or coalesce("end", $12::bigint) - start <= $11) and ($13::bigint is null or job_id = $13)`;
export const COUNT_OF_SELECTED = `select count(*) as total ${SELECTED}`;
/** $14: limit, $15: offset. */
export const SELECTED_JOBS = `select * ${SELECTED} order by submit desc nulls last, sonar.uint64(job_id) desc limit $14 offset $15`;
