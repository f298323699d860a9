import {
  type SampleSelection,
  type Bind,
  type Dialect,
  ITEM_NAMES,
  listed,
  jobCondition,
  ofNode,
  type SampleRelation,
} from '../queries/dialect.ts';

/** Every table has bounds of the time: only those of its days within them are planned and read. */
function bounds({ cluster, window: { from, until } }: SampleSelection, bind: Bind) {
  const [id, begin, end] = [bind(cluster.id), bind(from), bind(until)];
  const within = (alias: string) => `${alias}.time >= ${begin} and ${alias}.time < ${end}`;
  return {
    within,
    inWindow: (alias: string) => `${alias}.cluster = ${id} and ${within(alias)}`,
    /** Whether a row is of a sample with these columns. */
    of: (alias: string, time: string, envelope: string) =>
      `${alias}.time = ${time} and ${within(alias)} and ${alias}.envelope = ${envelope}`,
  };
}

function samples(asked: SampleSelection, bind: Bind, hasSource: boolean): SampleRelation {
  const { inWindow, of } = bounds(asked, bind);
  const ofKey =
    asked.key === undefined
      ? ''
      : `and (e.time, e.id) in (select p.time, p.envelope from sonar.process p where ${inWindow('p')} and ${jobCondition('p', asked.key, bind)})`;
  return {
    from: `sonar.envelope e join sonar.node n on n.id = e.node ${hasSource ? 'join sonar.source s on s.id = e.source' : ''}`,
    where: `${inWindow('e')} and e.type = 'sample' ${ofKey}`,
    columns: 'e.id, e.time',
    order: 'e.time, e.id',
    of: (alias) => of(alias, 'e.time', 'e.id'),
  };
}

function entries(asked: SampleSelection, bind: Bind, hasSource: boolean): SampleRelation {
  const { inWindow, within, of } = bounds(asked, bind);
  const sources = `join sonar.envelope e on e.time = p.time and ${within('e')} and e.id = p.envelope join sonar.source s on s.id = e.source`;
  return {
    from: `sonar.process p join sonar.node n on n.id = p.node ${hasSource ? sources : ''}`,
    where: `${inWindow('p')} ${asked.key === undefined ? '' : `and ${jobCondition('p', asked.key, bind)}`}`,
    columns: 'p.envelope as id, p.time',
    order: 'p.time, p.envelope',
    of: (alias, rows) =>
      rows === undefined ? of(alias, 'p.time', 'p.envelope') : of(alias, `${rows}.time`, `${rows}.id`),
  };
}

const NAMES = `string_agg(k.name, ' ' order by g.item)`;
const isOfCards = (table: string): boolean => table !== 'disk_sample';

/**
 * The words of PostgreSQL: tables in partitions by time, 64 bits as signed integers. Users and commands are numbers: their names are read once,
 * and need not be planned and sent with each row.
 */
export const postgresDialect = (hasCards: boolean): Dialect => ({
  mark: '$',
  node: 'n.name',
  byNode: 'n.name collate "C"',
  source: 's.name',
  user: 'p."user"',
  job: 'p.job',
  epoch: 'p.epoch',
  slot: 'p.slot',
  cmd: 'p.cmd',
  cmdName: '(select m.name from sonar.cmd m where m.id = p.cmd)',

  samples: (asked, bind, { hasSource = false } = {}) => samples(asked, bind, hasSource || asked.chosen !== undefined),
  entries: (asked, bind, { hasSource = false } = {}) => entries(asked, bind, hasSource || asked.chosen !== undefined),
  groupBy: (keys, others) => `group by ${[...keys, ...others].join(', ')}`,
  ofEach: (sums, groupBy) => ({ columns: listed(sums), groupBy }),
  system: { alias: 'y', join: (of) => `left join sonar.node_sample y on ${of('y')}`, where: 'y.time is not null' },
  process: 'sonar.process',
  items: (table, on) =>
    isOfCards(table) && !hasCards
      ? undefined
      : {
          join: `join sonar.${table} g on ${on} join sonar.${ITEM_NAMES[table]} k on k.id = g.${ITEM_NAMES[table]}`,
          name: 'k.name',
        },
  // By the index for each row: how many there are, the planner does not know while a day is written.
  beside: (table, sums, { of, keys = {}, rows }) =>
    isOfCards(table) && !hasCards
      ? { columns: '', join: '' }
      : {
          columns: sums.map(([, name]) => `, b.${name}`).join(''),
          join: `left join lateral (
            select ${listed(sums)}
            from sonar.${table} g ${sums.some(([sql]) => sql === NAMES) ? `join sonar.${ITEM_NAMES[table]} k on k.id = g.${ITEM_NAMES[table]}` : ''}
            where ${[of('g', rows), ...Object.entries(keys).map(([key, value]) => `g.${key} = ${value}`)].join(' and ')}
          ) b on true`,
        },
  newest: (cards) =>
    `select distinct on (node, uuid) * from (${cards}) as each order by node, uuid, time desc, id desc`,
  // Of each node the first entry of its index: all samples of a day would take a hundred times as long.
  firstTimes: ({ cluster, window: { from, until } }, bind) => `
    select n.name as node, first.time from sonar.node n cross join lateral (
      select e.time from sonar.envelope e
      where e.node = n.id and e.type = 'sample' and e.time >= ${bind(from)} and e.time < ${bind(until)} order by e.time limit 1
    ) first where n.cluster = ${bind(cluster.id)}`,

  ofNode,
  ofUser: (name) => `p."user" = (select id from sonar."user" where name = ${name})`,
  each: (json) => `select jsonb_array_elements_text(${json}::jsonb)`,
  amount: (column, name) => [
    [`(sum(${column}) + 18446744073709551616 * count(*) filter (where ${column} < 0))::text`, name],
  ],
  sum: (value) => `sum(${value})`,
  percent: (column) => `sum(${column})`,
  lists: (values) =>
    [['p.ord', 'ords'] as const, ...values].map(([value, name]) => [
      `(json_agg(${value}) filter (where p.ord is not null))::text`,
      name,
    ]),
  besideTexts: (number) => `cast(${number} as text)`,
  names: NAMES,
});
