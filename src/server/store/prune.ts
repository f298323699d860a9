import type { ChangeLog } from './changes.ts';
import type { Database, NoParameters } from './database.ts';
import type { Turns } from './turn.ts';

/**
 * The maximum number of characters in the change log. A job adds about 500, so this is the history of half a million
 * jobs: too small, and a client that was away for an hour on a busy server has to read everything again; too big, and
 * the log is larger than all other tables together.
 */
const MAX_LENGTH = 256 * 2 ** 20;
/** No client reconnects to a stream after this time. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
/** Rows removed in one transaction: about 5 ms if each has entries of a hundred jobs. */
const SLICE_ROWS = 200;

interface Limits {
  readonly maxLength: number;
  readonly maxAgeMs: number;
}

/**
 * Removes rows of the change log that are too old or too many, and all rows of deleted workflows. It works in slices,
 * each in its own transaction, and keeps rows that a connected client still has to read.
 *
 * The table `change_log_pruned` stores the last removed id of each workflow, so that a client that reconnects with an
 * older one learns that it missed events.
 */
export function createPruner(
  db: Database,
  { turns, changes, now }: { turns: Turns; changes: ChangeLog; now: () => number },
  { maxLength, maxAgeMs }: Limits = { maxLength: MAX_LENGTH, maxAgeMs: MAX_AGE_MS },
): (isStopped?: () => boolean) => Promise<number> {
  const queries = pruneQueries(db);

  const expired = (): Row[] => {
    const leastLength = changes.endLength - maxLength;
    const leastMs = now() - maxAgeMs;
    const heldId = changes.heldId;
    const oldest = queries.oldest.all({ rows: SLICE_ROWS });
    const end = oldest.findIndex(
      ({ id, at_ms: atMs, end_length: length }) => id >= heldId || (length >= leastLength && atMs >= leastMs),
    );
    return end === -1 ? oldest : oldest.slice(0, end);
  };

  const removeExpired = () => {
    const rows = expired();
    for (const { id, workflow_id: workflowId } of lastOfEach(rows)) queries.keepPrunedId.run({ workflowId, id });
    for (const { id } of rows) queries.remove.run({ id });
    return rows.length;
  };

  const removeOrphans = (workflowId: number) =>
    queries.removeOrphans.run({
      workflowId,
      heldId: Math.min(changes.heldId, Number.MAX_SAFE_INTEGER),
      rows: SLICE_ROWS,
    });

  /** Resolves with the number of removed rows. */
  return async (isStopped = () => false) => {
    let removed = 0;
    const repeat = async (work: () => number) => {
      for (let count = SLICE_ROWS; count === SLICE_ROWS && !isStopped(); removed += count)
        count = await turns.write(work);
    };
    for (const { id } of queries.orphans.all({})) await repeat(() => removeOrphans(id));
    if (expired().length > 0) await repeat(removeExpired);
    return removed;
  };
}

interface Row {
  readonly id: number;
  readonly workflow_id: number;
  readonly at_ms: number;
  readonly end_length: number;
}

/** The last row of each workflow, from rows in the order of their ids. */
const lastOfEach = (rows: readonly Row[]) => [...new Map(rows.map((row) => [row.workflow_id, row])).values()];

const pruneQueries = (db: Database) => ({
  oldest: db.prepare<{ rows: number }, Row>(
    'select id, workflow_id, at_ms, end_length from change_log order by id limit :rows',
  ),
  remove: db.prepare<{ id: number }>('delete from change_log where id = :id'),
  keepPrunedId: db.prepare<{ workflowId: number; id: number }>(`
    insert into change_log_pruned (workflow_id, last_id)
    select id, :id from workflow where id = :workflowId
    on conflict (workflow_id) do update set last_id = excluded.last_id`),
  // From workflow to workflow through the index: one step for each, however many rows it has.
  orphans: db.prepare<NoParameters, { id: number }>(`
    with recursive logged (id) as (
      select min(workflow_id) from change_log
      union all
      select (select min(workflow_id) from change_log where workflow_id > logged.id) from logged where logged.id is not null
    )
    select id from logged where id is not null and not exists (select 1 from workflow where workflow.id = logged.id)`),
  removeOrphans: db.prepare<{ workflowId: number; heldId: number; rows: number }>(`
    delete from change_log
    where id in (
      select id from change_log where workflow_id = :workflowId and id < :heldId order by id limit :rows)`),
});
