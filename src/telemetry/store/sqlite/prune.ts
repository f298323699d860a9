import type { StoreDatabase } from './database.ts';

/** Envelopes of one transaction: others that write wait for no longer than that takes. */
const BATCH = 500;

/** Rows of an envelope. */
export const SAMPLE_TABLES = [
  'sample_job',
  'job_sums',
  'process',
  'process_gpu',
  'node_sample',
  'gpu_sample',
  'disk_sample',
  'topology',
  'job_event',
  'extra',
] as const;

/** The days before a time of which something arrived, or was closed, more than so many seconds after it was sampled. */
export const lateDays = (db: StoreDatabase, before: number, seconds: number): number[] =>
  db
    .all(
      `select distinct time / 86400 as day from envelope where time < ?1 and received - time > ?2
       union select day from closed_day where day * 86400 < ?1 and closed - (day + 1) * 86400 > ?2`,
      before,
      seconds,
    )
    .map(({ day }) => Number(day));

/**
 * Deletes envelopes from before a time, with all their rows, and gives their number. Days since 1970 that are kept stay.
 *
 * The newest sysinfo of each node and the newest state of each cluster stay, and so do the merged records of Slurm jobs: they
 * say what things are, not what they did. The space is used again by what is stored next.
 */
export function pruneSqlite(db: StoreDatabase, before: number, keptDays: readonly number[] = []): number {
  let deleted = 0;
  for (;;) {
    const count = db.transaction(() => {
      const ids = db.all(
        `select id from envelope e
         where time < ?1 and time / 86400 not in (select value from json_each(?3)) and (
           type in ('sample', 'job', 'error')
           or exists (
             select 1 from envelope n
             where n.cluster = e.cluster and n.type = e.type and n.node is e.node and (n.time > e.time or (n.time = e.time and n.id > e.id))
           )
         )
         limit ?2`,
        before,
        BATCH,
        JSON.stringify(keptDays),
      );
      for (const { id } of ids) {
        for (const table of SAMPLE_TABLES) db.run(`delete from ${table} where envelope = ?`, id ?? null);
        db.run('delete from envelope where id = ?', id ?? null);
      }
      return ids.length;
    });
    if (count === 0) break;
    deleted += count;
  }
  db.transaction(() => {
    db.run(`delete from content where id not in (
      select content from envelope where content is not null
      union select content from job_event
      union select svg from topology where svg is not null
      union select text from topology where text is not null
    )`);
    db.run('delete from quarantine where received < ?', before);
  });
  return deleted;
}
