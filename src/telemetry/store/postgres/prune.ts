import { DAY_SECONDS, dayOf } from '../days.ts';
import type { PgConnection } from './connection.ts';
import { Days, partitionOf } from './days.ts';
import { dailyTables } from './migrations.ts';
import { WRITERS_LOCK } from './write.ts';

/**
 * The time before which samples may be deleted: where the day is closed, the begin of an hour, because hours are shown instead of
 * samples whole.
 */
export async function pruneTime(db: PgConnection, before: number): Promise<number> {
  const [day] = await db.query(
    'select exists (select from sonar.day where day = $1 and closed is not null) as is_closed',
    dayOf(before),
  );
  return day?.['is_closed'] === true ? before - (before % HOUR) : before;
}

const HOUR = 3600;

/** The days before a time of which something arrived more than so many seconds after it was sampled. */
async function lateDays(db: PgConnection, before: number, seconds: number): Promise<number[]> {
  const rows = await db.query(
    `select distinct time / ${DAY_SECONDS} as day from sonar.envelope where time < $1 and received - time > $2`,
    before,
    seconds,
  );
  return rows.map(({ day }) => Number(day));
}

/**
 * Deletes envelopes from before a time, and gives their number. Days that are over are dropped as partitions; what stands
 * beside them is deleted. Hours of closed days stay.
 *
 * The newest sysinfo of each node and the newest state of each cluster stay: of a day that is dropped they move to the default
 * partition.
 */
export async function prunePostgres(db: PgConnection, before: number, arrivedWithin?: number): Promise<number> {
  const kept = arrivedWithin === undefined ? [] : await lateDays(db, before, arrivedWithin);
  await db.run('delete from sonar.quarantine where received < $1', before);
  // A server prunes every hour: writers must not wait for what finds nothing.
  const [any] = await db.query(`select exists (${DELETED}) as is_any`, before, kept);
  if (any?.['is_any'] !== true) return 0;
  return db.transaction(async () => {
    await db.query('select pg_advisory_xact_lock($1)', WRITERS_LOCK);
    const [counted] = await db.query(`select count(*) as count from (${DELETED}) as deleted`, before, kept);
    await db.script('create temporary table kept (like sonar.envelope) on commit drop');
    await db.run(
      `insert into kept select e.* from sonar.envelope e where e.time < $1 and e.type in ('sysinfo', 'cluster') and not ${IS_OLDER}`,
      before,
    );
    for (const day of await new Days(db).existing())
      if ((day + 1) * DAY_SECONDS <= before && !kept.includes(day))
        for (const table of dailyTables) await db.script(`drop table sonar.${partitionOf(table, day)}`);
    for (const table of dailyTables)
      await db.run(
        table === 'envelope'
          ? `delete from sonar.envelope where time < $1 and ${NOT_KEPT} and id not in (select id from kept)`
          : `delete from sonar.${table} where time < $1 and ${NOT_KEPT}`,
        before,
        kept,
      );
    await db.run(
      `insert into sonar.envelope (time, id, cluster, type, sha256, node, zone, source, received, content, topo_svg, topo_text, members)
       overriding system value
       select time, id, cluster, type, sha256, node, zone, source, received, content, topo_svg, topo_text, members from kept
       on conflict do nothing`,
    );
    await db.run(
      'update sonar.day set has_lost = true where day * $2 < $1 and not has_lost and not day = any($3::bigint[])',
      before,
      DAY_SECONDS,
      kept,
    );
    await db.run(`delete from sonar.content c where not exists (select from sonar.job_event where content = c.id)
      and c.id not in (
        select content from sonar.envelope where content is not null
        union select topo_svg from sonar.envelope where topo_svg is not null
        union select topo_text from sonar.envelope where topo_text is not null
      )`);
    return Number(counted?.['count'] ?? 0);
  });
}

/** There is a newer one of the same node, or of the same cluster. */
const IS_OLDER = `exists (
  select from sonar.envelope n
  where n.type = e.type and n.cluster = e.cluster and (n.time > e.time or (n.time = e.time and n.id > e.id))
    and (n.node = e.node or (n.node is null and e.node is null))
)`;

/** $2: days. */
const NOT_KEPT = 'not time / 86400 = any($2::bigint[])';

const DELETED = `select from sonar.envelope e where e.time < $1 and ${NOT_KEPT} and (e.type in ('sample', 'job', 'error') or ${IS_OLDER})`;
