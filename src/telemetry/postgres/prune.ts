import type { PgConnection } from './connection.ts';
import { DAY, Days, partitionOf } from './days.ts';
import { dailyTables } from './migrations.ts';
import { WRITERS_LOCK } from './write.ts';

/**
 * Deletes envelopes from before a time, and gives their number. Days that are over are dropped as partitions; what stands
 * beside them is deleted.
 *
 * The newest sysinfo of each node and the newest state of each cluster stay: of a day that is dropped they move to the default
 * partition.
 */
export async function prune(db: PgConnection, before: number): Promise<number> {
  return db.transaction(async () => {
    await db.query('select pg_advisory_xact_lock($1)', WRITERS_LOCK);
    await db.script('drop table if exists kept');
    await db.query(
      `create temporary table kept on commit drop as
       select distinct on (e.cluster, e.type, e.node) e.*
       from sonar.envelope e where e.type in ('sysinfo', 'cluster')
       order by e.cluster, e.type, e.node, e.time desc, e.id desc`,
    );
    await db.run('delete from kept where time >= $1', before);
    const [counted] = await db.query(
      'select (select count(*) from sonar.envelope where time < $1) - (select count(*) from kept) as count',
      before,
    );
    for (const day of await new Days(db).existing())
      if ((day + 1) * DAY <= before)
        for (const table of dailyTables) await db.script(`drop table sonar.${partitionOf(table, day)}`);
    for (const table of dailyTables)
      await db.run(
        table === 'envelope'
          ? 'delete from sonar.envelope where time < $1 and id not in (select id from kept)'
          : `delete from sonar.${table} where time < $1`,
        before,
      );
    await db.run(
      `insert into sonar.envelope (time, id, cluster, type, sha256, node, zone, source, received, content, topo_svg, topo_text, members)
       overriding system value
       select time, id, cluster, type, sha256, node, zone, source, received, content, topo_svg, topo_text, members from kept
       on conflict do nothing`,
    );
    await db.run(`delete from sonar.content c where not exists (select from sonar.job_event where content = c.id)
      and c.id not in (
        select content from sonar.envelope where content is not null
        union select topo_svg from sonar.envelope where topo_svg is not null
        union select topo_text from sonar.envelope where topo_text is not null
      )`);
    await db.run('delete from sonar.quarantine where received < $1', before);
    return Number(counted?.['count'] ?? 0);
  });
}
