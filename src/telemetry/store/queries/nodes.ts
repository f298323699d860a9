import { numberCell, textCell } from '../rows/cells.ts';
import { cardOf, diskOf, nodeSampleOf, sampleTimeOf } from '../rows/samples.ts';
import { type SampleTableName, sampleTables } from '../tables.ts';
import { exactly } from './processes.ts';
import type { SampleQuery } from './selection.ts';

/** Statements of nodes with their cards and disks. `e` is a sample, `y` the state of its node, `g` a card or a disk. */

const query = <Row>(of: SampleQuery<Row>): SampleQuery<Row> => of;

/** How many samples a producer sent of a node. */
export interface SourceCount {
  readonly node: string;
  readonly source: string;
  readonly count: number;
}

/** Of one job, only those that have it. */
export const sourceCounts = query<SourceCount>({
  order: 'node',
  rowOf: (row) => ({ node: textCell(row, 'node'), source: textCell(row, 'source'), count: numberCell(row, 'count') }),
  sqlite: (where) => `
    select n.name as node, s.name as source, count(*) as count
    from envelope e join node n on n.id = e.node join source s on s.id = e.source where ${where.samples} group by n.name, s.name`,
  duckdb: (where, file) => `
    select e.node as node, e.source as source, count(*) as count from ${file('sample')} e where ${where.samples} group by e.node, e.source`,
  postgres: (where) => `
    select n.name as node, s.name as source, count(*) as count
    from sonar.envelope e join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
    where ${where.samples} group by n.name, s.name`,
});

/** In any order. */
export const sampleTimes = query({
  order: 'node',
  isHeld: true,
  rowOf: sampleTimeOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, y.boot
    from envelope e join node n on n.id = e.node left join node_sample y on y.envelope = e.id where ${where.samples}`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.boot from ${file('sample')} e where ${where.samples}`,
  postgres: (where) => `
    select e.id, e.time, n.name as node, y.boot
    from sonar.envelope e join sonar.node n on n.id = e.node
      left join sonar.node_sample y on y.time = e.time and y.time >= $2 and y.time < $3 and y.envelope = e.id
    where ${where.samples}`,
});

/** Of a percentage that is stored as a signed integer of 64 bits. */
const CARD_USE = 'case when g.ce_util < 0 then g.ce_util + 18446744073709551616.0 else coalesce(g.ce_util, 0) end';

export const nodeSamples = query({
  order: 'node',
  rowOf: nodeSampleOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, y.used_memory, y.cpus, y.load1, (
      select json_object('cards', count(*), 'gpu_util', avg(${CARD_USE}),
        'gpu_memory_high', sum(g.memory >> 32 & 4294967295), 'gpu_memory_low', sum(g.memory & 4294967295))
      from gpu_sample g where g.envelope = e.id having count(*) > 0
    ) as beside
    from envelope e join node n on n.id = e.node left join node_sample y on y.envelope = e.id
    where ${where.samples} and y.envelope is not null order by n.name, e.time, e.id`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.used_memory, e.cpus, e.load1, b.cards, b.gpu_util, b.gpu_memory
    from ${file('sample')} e left join (
      select n, count(*) as cards, avg(${CARD_USE}) as gpu_util, sum(g.memory) as gpu_memory from ${file('card')} g group by n
    ) b on b.n = e.n
    where ${where.samples} and e.has_system order by e.node, e.time, e.id`,
  postgres: (where, ofCards) => `
    select e.id, e.time, n.name as node, y.used_memory, y.cpus, y.load1 ${ofCards(', b.cards, b.gpu_util, b.gpu_memory')}
    from sonar.envelope e join sonar.node n on n.id = e.node
      left join sonar.node_sample y on y.time = e.time and y.time >= $2 and y.time < $3 and y.envelope = e.id ${ofCards(`left join lateral (
        select count(*) as cards, avg(${CARD_USE}) as gpu_util, ${exactly('g.memory')} as gpu_memory from sonar.gpu_sample g
        where g.time = e.time and g.time >= $2 and g.time < $3 and g.envelope = e.id
      ) b on true`)}
    where ${where.samples} and y.time is not null order by n.name collate "C", e.time, e.id`,
});

/** All columns of a table but the name, which is a number or a text by the engine. */
const columnsOf = (table: SampleTableName): string =>
  sampleTables[table].columns
    .filter(({ kind }) => kind !== 'name')
    .map(({ column }) => `g.${column}`)
    .join(', ');
const CARD = columnsOf('gpu_sample');
const DISK = columnsOf('disk_sample');

export const cardSamples = query({
  order: 'node',
  rowOf: cardOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, s.name as source, k.name as uuid, ${CARD}
    from envelope e join node n on n.id = e.node join source s on s.id = e.source
      join gpu_sample g on g.envelope = e.id join gpu k on k.id = g.gpu
    where ${where.samples} order by n.name, e.time, e.id, g.item`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.source as source, g.uuid as uuid, ${CARD}
    from ${file('sample')} e join ${file('card')} g on g.n = e.n
    where ${where.samples} order by e.node, e.time, e.id, g.item`,
  postgres: (where, ofCards) =>
    ofCards(`
    select e.id, e.time, n.name as node, s.name as source, k.name as uuid, ${CARD}
    from sonar.envelope e join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
      join sonar.gpu_sample g on g.time = e.time and g.time >= $2 and g.time < $3 and g.envelope = e.id join sonar.gpu k on k.id = g.gpu
    where ${where.samples} order by n.name collate "C", e.time, e.id, g.item`),
});

/** Of each card and node. */
export const newestCards = query({
  order: 'node',
  rowOf: cardOf,
  sqlite: (where) => `
    select *, max(time) from (
      select e.id, e.time, n.name as node, s.name as source, k.name as uuid, ${CARD}
      from envelope e join node n on n.id = e.node join source s on s.id = e.source
        join gpu_sample g on g.envelope = e.id join gpu k on k.id = g.gpu
      where ${where.samples}
    ) group by node, uuid`,
  duckdb: (where, file) => `
    select distinct on (node, uuid) * from (
      select e.id, e.time, e.n, e.node as node, e.source as source, g.uuid as uuid, ${CARD}
      from ${file('sample')} e join ${file('card')} g on g.n = e.n where ${where.samples}
    ) order by node, uuid, time desc, id desc`,
  postgres: (where, ofCards) =>
    ofCards(`
    select distinct on (node, uuid) * from (
      select e.id, e.time, n.name as node, s.name as source, k.name as uuid, ${CARD}
      from sonar.envelope e join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
        join sonar.gpu_sample g on g.time = e.time and g.time >= $2 and g.time < $3 and g.envelope = e.id join sonar.gpu k on k.id = g.gpu
      where ${where.samples}
    ) as each order by node, uuid, time desc, id desc`),
});

export const diskSamples = query({
  order: 'node',
  rowOf: diskOf,
  sqlite: (where) => `
    select e.id, e.time, n.name as node, s.name as source, k.name as disk, ${DISK}
    from envelope e join node n on n.id = e.node join source s on s.id = e.source
      join disk_sample g on g.envelope = e.id join disk k on k.id = g.disk
    where ${where.samples} order by n.name, e.time, e.id, g.item`,
  duckdb: (where, file) => `
    select e.id, e.time, e.n, e.node as node, e.source as source, g.disk as disk, ${DISK}
    from ${file('sample')} e join ${file('disk')} g on g.n = e.n
    where ${where.samples} order by e.node, e.time, e.id, g.item`,
  postgres: (where) => `
    select e.id, e.time, n.name as node, s.name as source, k.name as disk, ${DISK}
    from sonar.envelope e join sonar.node n on n.id = e.node join sonar.source s on s.id = e.source
      join sonar.disk_sample g on g.time = e.time and g.time >= $2 and g.time < $3 and g.envelope = e.id join sonar.disk k on k.id = g.disk
    where ${where.samples} order by n.name collate "C", e.time, e.id, g.item`,
});

/** The first time of each node. */
export const firstSamples = query<readonly [node: string, time: number]>({
  order: 'node',
  rowOf: (row) => [textCell(row, 'node'), numberCell(row, 'time')],
  sqlite: (where) => `
    select n.name as node, min(e.time) as time from envelope e join node n on n.id = e.node where ${where.samples} group by n.id`,
  duckdb: (where, file) => `
    select e.node, min(e.time) as time from ${file('sample')} e where ${where.samples} group by e.node`,
  // Of each node the first entry of its index: all samples of a day would take a hundred times as long.
  postgres: () => `
    select n.name as node, first.time from sonar.node n cross join lateral (
      select e.time from sonar.envelope e
      where e.node = n.id and e.type = 'sample' and e.time >= $2 and e.time < $3 order by e.time limit 1
    ) first where n.cluster = $1`,
});
