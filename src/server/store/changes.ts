import { type StreamEventType, streamEvents } from '../../core/contract/event.ts';
import type { Database, NoParameters } from './database.ts';

/**
 * The change log: the source of the event stream. Each change is logged in the transaction that makes it.
 *
 * A row holds one kind of change of one workflow, often of many jobs at once: `data` is a list, and each element is an
 * event of the stream. Its id there is `row.place`, so a client that reconnects with its last id misses nothing and
 * receives nothing twice, even in the middle of a row.
 *
 * The log is bounded: `prune.ts` removes old rows. Ids are never reused, also when the table is empty after that.
 */
export interface Change {
  readonly id: number;
  readonly workflow_id: number;
  readonly at_ms: number;
  readonly event_type: StreamEventType;
  readonly entries: readonly unknown[];
}

/** A piece of the log of one workflow. */
interface Stretch {
  /** Those of the requested types, oldest first. */
  readonly changes: readonly Change[];
  /** Every row of the workflow up to this id was read. */
  readonly lastId: number;
  /** There are no further rows. */
  readonly isEnd: boolean;
}

/** Rows from an id on that a client still needs: they are not pruned. */
interface Hold {
  fromId: number;
}

export interface ChangeLog {
  /** Logs a change within the current transaction, which writes it before its commit; clients receive it after that. */
  record(workflowId: number, type: StreamEventType, entries: readonly unknown[]): void;
  /**
   * Reads on from `fromId`: the changes of these types, until they hold about `maxLength` characters or a bounded
   * number of rows was read. One call takes a few milliseconds, however long the log is and however few types are
   * requested.
   */
  read(workflowId: number, fromId: number, types: readonly StreamEventType[], maxLength: number): Stretch;
  /** The id of the last row of the workflow that was pruned; 0 when none was. */
  prunedId(workflowId: number): number;
  /** The id of the last row, including the current transaction; 0 before the first. */
  readonly lastId: number;
  /** Characters of all rows that were ever written: the unit of the column `end_length`. */
  readonly endLength: number;
  /** Called after each commit that is on disk, when clients were notified. */
  onPublish(listener: () => void): void;
  subscribe(workflowId: number, listener: (change: Change) => void): () => void;
  /** Keeps the rows from an id on until it is released. */
  hold(fromId: number): Hold & { release(): void };
  /** The lowest id that is held; Infinity if none is. */
  readonly heldId: number;

  /** For `turn.ts`: changes recorded since a mark belong to a write that was rolled back. */
  mark(): number;
  forgetSince(mark: number): void;
  /** For `transaction.ts`: writes what was recorded since the last call. Four rows in a statement cost a third of four. */
  write(): void;
  publish(): void;
}

interface Row extends Omit<Change, 'entries'> {
  data: string;
}

interface Recorded {
  readonly change: Change;
  /** The entries as stored. */
  readonly data: string;
  readonly endLength: number;
}

/** Rows of a workflow that one read visits: only ids and types of types that were not requested, about 0.5 ms. */
const STRETCH_ROWS = 1_000;

export function createChangeLog(db: Database, now: () => number): ChangeLog {
  const queries = changeQueries(db);
  const listeners = new Map<number, Set<(change: Change) => void>>();
  const holds = new Set<Hold>();
  const afterPublish: (() => void)[] = [];
  let recorded: Recorded[] = [];
  /** Of these, the ones that are in the table. */
  let written = 0;
  let publishedId = queries.lastId.get({})?.id ?? 0;
  let publishedLength = queries.endLength.get({})?.length ?? 0;
  const endLength = () => recorded.at(-1)?.endLength ?? publishedLength;
  const lastId = () => recorded.at(-1)?.change.id ?? publishedId;
  const write = () => {
    if (written === recorded.length) return;
    const ids = queries.insert(recorded.slice(written).map(rowOf));
    // An administrator may have inserted rows: the database knows the next id.
    for (const id of ids) {
      const { change, ...rest } = recorded[written] as Recorded;
      if (change.id !== id) recorded[written] = { ...rest, change: { ...change, id } };
      written += 1;
    }
  };

  return {
    record(workflowId, type, entries) {
      const data = JSON.stringify(entries);
      const change = { id: lastId() + 1, workflow_id: workflowId, at_ms: now(), event_type: type, entries };
      recorded.push({ change, data, endLength: endLength() + data.length });
    },
    write,
    read(workflowId, fromId, types, maxLength) {
      const endId = queries.endOfStretch.get({ workflowId, fromId, rows: STRETCH_ROWS })?.id;
      const changes: Change[] = [];
      let length = 0;
      const wanted = { workflowId, fromId, endId: endId ?? Number.MAX_SAFE_INTEGER, types: JSON.stringify(types) };
      for (const { data, ...row } of queries.stretch.iterate(wanted)) {
        changes.push({ ...row, entries: JSON.parse(data) as unknown[] });
        length += data.length;
        if (length >= maxLength) return { changes, lastId: row.id, isEnd: false };
      }
      if (endId !== undefined) return { changes, lastId: endId - 1, isEnd: false };
      return { changes, lastId: lastId(), isEnd: true };
    },
    prunedId: (workflowId) => queries.prunedId.get({ workflowId })?.id ?? 0,
    onPublish: (listener) => void afterPublish.push(listener),
    subscribe(workflowId, listener) {
      const set = listeners.get(workflowId) ?? new Set();
      listeners.set(workflowId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(workflowId);
      };
    },
    hold(fromId) {
      const hold = { fromId, release: () => void holds.delete(hold) };
      holds.add(hold);
      return hold;
    },
    get heldId() {
      let least = Infinity;
      for (const { fromId } of holds) least = Math.min(least, fromId);
      return least;
    },
    get lastId() {
      return lastId();
    },
    get endLength() {
      return endLength();
    },
    mark: () => recorded.length,
    forgetSince(mark) {
      recorded.length = mark;
      written = Math.min(written, mark);
    },
    publish() {
      // Without those of a transaction that was not committed, after which the server ends.
      const changes = recorded.slice(0, written);
      recorded = recorded.slice(written);
      written = 0;
      publishedId = changes.at(-1)?.change.id ?? publishedId;
      publishedLength = changes.at(-1)?.endLength ?? publishedLength;
      for (const { change } of changes) {
        for (const listener of listeners.get(change.workflow_id) ?? []) listener(change);
      }
      for (const listener of afterPublish) listener();
    },
  };
}

const rowOf = ({ change, data, endLength }: Recorded) => ({
  workflowId: change.workflow_id,
  atMs: change.at_ms,
  type: change.event_type,
  data,
  endLength,
});

const changeQueries = (db: Database) => ({
  insert: db.prepareInserts<ReturnType<typeof rowOf>>(`
    insert into change_log (workflow_id, at_ms, event_type, data, end_length)
    values (:workflowId, :atMs, :type, :data, :endLength)`),
  // From the index alone.
  endOfStretch: db.prepare<{ workflowId: number; fromId: number; rows: number }, { id: number }>(`
    select id
    from change_log
    where workflow_id = :workflowId and id >= :fromId
    order by id
    limit 1 offset :rows`),
  stretch: db.prepare<{ workflowId: number; fromId: number; endId: number; types: string }, Row>(`
    select id, workflow_id, at_ms, event_type, data
    from change_log
    where workflow_id = :workflowId and id >= :fromId and id < :endId
      and event_type in (select value from json_each(:types))
    order by id`),
  prunedId: db.prepare<{ workflowId: number }, { id: number }>(
    'select last_id as id from change_log_pruned where workflow_id = :workflowId',
  ),
  // Not the highest id in the table: after all rows were pruned that would restart at 0, and runners compare ids.
  lastId: db.prepare<NoParameters, { id: number }>(`select seq as id from sqlite_sequence where name = 'change_log'`),
  endLength: db.prepare<NoParameters, { length: number }>(
    'select end_length as length from change_log order by id desc limit 1',
  ),
});

/** The severity of a change. */
export const severityOf = (type: StreamEventType) => streamEvents[type];
