import type { Database, NoParameters } from './database.ts';

/** A list of so many rows takes 20 ms. Too small, and a thread is started for lists that need none. */
const MANY_ROWS = 2_000;

/** Says whether a read that looks at all rows of a table would take long. It costs a few microseconds to ask. */
export function createSize(db: Database): { isLarge(): boolean } {
  // The highest ids that were given. Edges between jobs have none: a thousand jobs may have a million of them.
  const ids = db.prepare<NoParameters, { id: number | null }>(
    `select max(max(seq), coalesce((select max(id) from result), 0)) as id from sqlite_sequence where name <> 'change_log'`,
  );
  const edges = [
    'job_depends_on',
    'job_input_file',
    'job_output_file',
    'job_input_user_data',
    'job_output_user_data',
  ].map((table) =>
    db.prepare<NoParameters, { found: 1 }>(`select 1 as found from ${table} limit 1 offset ${MANY_ROWS}`),
  );
  let isLarge = false;
  return {
    isLarge() {
      // What was large once is asked no more; ids are never given twice.
      isLarge ||= (ids.get({})?.id ?? 0) > MANY_ROWS || edges.some((table) => table.get({}) !== undefined);
      return isLarge;
    },
  };
}
