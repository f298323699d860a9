import {
  type SampleSelection,
  type Bind,
  type Dialect,
  ITEM_NAMES,
  jobCondition,
  ofNode,
  type Sums,
} from '../queries/dialect.ts';

/** Of one job, only its own samples are read: a window may have millions of others. The plus keeps from the index by time. */
function inWindow({ cluster, window: { from, until }, key }: SampleSelection, bind: Bind): string {
  const [e, own] =
    key === undefined
      ? ['e', '']
      : ['+e', `e.id in (select j.envelope from sample_job j where ${jobCondition('j', key, bind)}) and `];
  return `${own}${e}.cluster = ${bind(cluster.id)} and ${e}.type = 'sample' and ${e}.time >= ${bind(from)} and ${e}.time < ${bind(until)}`;
}

const fromSamples = ({ chosen }: SampleSelection, hasSource: boolean): string =>
  `envelope e join node n on n.id = e.node ${hasSource || chosen !== undefined ? 'join source s on s.id = e.source' : ''}`;
const of = (alias: string, rows = 'e'): string => `${alias}.envelope = ${rows}.id`;
const sample = { columns: 'e.id, e.time', order: 'e.time, e.id', of };
const percent = (column: string): string =>
  `total(case typeof(${column}) when 'integer' then ${column} / 1000.0 else ${column} end)`;
const OF_ENTRY = 'p.envelope = j.envelope and p.slot = j.slot';
const NAMES = `group_concat(k.name, ' ')`;

/** One value, because each would be looked up anew for each row. */
const asJson = (sums: Sums): string => `json_object(${sums.map(([sql, name]) => `'${name}', ${sql}`).join(', ')})`;

/** The words of the embedded store: plain rows with numbers of dictionaries, 64 bits as signed integers, percentages in thousandths. */
export const sqliteDialect: Dialect = {
  mark: '?',
  node: 'n.name',
  byNode: 'n.name',
  source: 's.name',
  user: 'u.name',
  job: 'j.job',
  epoch: 'j.epoch',
  slot: 'j.slot',
  cmd: 'm.name',
  cmdName: '(select m.name from cmd m where m.id = p.cmd)',

  samples: (asked, bind, { hasSource = false } = {}) => ({
    ...sample,
    from: fromSamples(asked, hasSource),
    where: inWindow(asked, bind),
  }),
  entries: (asked, bind, { hasSource = false, isAddedUp = false } = {}) => ({
    ...sample,
    from: `${fromSamples(asked, hasSource)} join sample_job j on j.envelope = e.id join user u on u.id = j.user
      ${isAddedUp ? 'left join job_sums w on w.envelope = j.envelope and w.slot = j.slot' : `left join process p on ${OF_ENTRY} left join cmd m on m.id = p.cmd`}`,
    where: [inWindow(asked, bind), ...(asked.key === undefined ? [] : [jobCondition('j', asked.key, bind)])].join(
      ' and ',
    ),
  }),
  groupBy: (keys) => `group by ${keys.join(', ')}`,
  ofEach: (sums) => ({
    columns: `w.rss as stored_rss, w.cpu_avg as stored_cpu_avg, w.counters,
      case when w.counters is null then (select ${asJson(sums)} from process p where ${OF_ENTRY}) end as sums`,
    groupBy: '',
  }),
  system: { alias: 'y', join: (same) => `left join node_sample y on ${same('y')}`, where: 'y.envelope is not null' },
  process: 'process',
  items: (table, on) => ({
    join: `join ${table} g on ${on} join ${ITEM_NAMES[table]} k on k.id = g.${ITEM_NAMES[table]}`,
    name: 'k.name',
  }),
  beside: (table, sums, { of: same, keys = {}, rows }) => ({
    join: '',
    columns: `, (
      select ${asJson(sums)}
      from ${table} g ${sums.some(([sql]) => sql === NAMES) ? `join ${ITEM_NAMES[table]} k on k.id = g.${ITEM_NAMES[table]}` : ''}
      where ${[same('g', rows), ...Object.entries(keys).map(([key, value]) => `g.${key} = ${value}`)].join(' and ')} having count(*) > 0
    ) as beside`,
  }),
  newest: (cards) => `select *, max(time) from (${cards}) group by node, uuid`,
  firstTimes: (asked, bind) =>
    `select n.name as node, min(e.time) as time from envelope e join node n on n.id = e.node where ${inWindow(asked, bind)} group by n.id`,

  ofNode,
  ofUser: (name) => `u.name = ${name}`,
  each: (json) => `select value from json_each(${json})`,
  // SQLite has no larger integers, refuses a sum that is one, and would take a great value for a negative one.
  amount: (column, name): Sums => [
    [`sum(${column} >> 32 & 4294967295)`, `${name}_high`],
    [`sum(${column} & 4294967295)`, `${name}_low`],
  ],
  sum: (value) => `total(${value})`,
  percent,
  // In the order of the key, by which the processes of an entry are read. What is no number of JavaScript is a text in JSON.
  lists: (values) =>
    values.map(([value, name]) => [
      `json_group_array(case when ${value} between 0 and ${Number.MAX_SAFE_INTEGER} then ${value} else cast(${value} as text) end)`,
      name,
    ]),
  besideTexts: (number) => number,
  names: NAMES,
};
