import type { Database, NoParameters } from './database.ts';

/** A list of this many rows takes 20 ms. Too small, and a thread is started for lists that do not need it. */
const MANY_ROWS = 2_000;

/** Decides whether a read of all rows of a table would take long. The check costs a few microseconds. */
export function createSize(db: Database): { isLarge(): boolean } {
  // The highest ids that were assigned. Edges between jobs have none: a thousand jobs may have a million of them.
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
      // A table that was large once is not checked again; ids are never reused.
      isLarge ||= (ids.get({})?.id ?? 0) > MANY_ROWS || edges.some((table) => table.get({}) !== undefined);
      return isLarge;
    },
  };
}
