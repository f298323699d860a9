import { type StreamEventType, streamEvents } from '../../core/contract/event.ts';
import type { Database, NoParameters } from './database.ts';

/**
 * The log of changes: what the event stream says, from the table in which it was written with the change itself.
 *
 * A row holds one kind of change of one workflow, often of many jobs at once: `data` is a list, and each element is an
 * event of the stream. Its id there is `row.place`, so that a reader that comes back with the last id it saw misses
 * nothing and sees nothing twice, even in the middle of a row.
 */
export interface Change {
  readonly id: number;
  readonly workflow_id: number;
  readonly at_ms: number;
  readonly event_type: StreamEventType;
  readonly entries: readonly unknown[];
}

export interface ChangeLog {
  /** Writes down a change within the current transaction; readers hear of it after the commit. */
  record(workflowId: number, type: StreamEventType, entries: readonly unknown[]): void;
  /** Changes of the workflow with a row id of `fromId` or more, oldest first, at most `limit` rows. */
  since(workflowId: number, fromId: number, limit: number): Change[];
  /** The id of the last row, those of the current transaction included; 0 before the first. */
  readonly lastId: number;
  subscribe(workflowId: number, listener: (change: Change) => void): () => void;

  /** For `turn.ts`: what was recorded since a mark belongs to a write that was rolled back. */
  mark(): number;
  forgetSince(mark: number): void;
  publish(): void;
}

interface Row {
  id: number;
  workflow_id: number;
  at_ms: number;
  event_type: StreamEventType;
  data: string;
}

export function createChangeLog(db: Database, now: () => number): ChangeLog {
  const insert = db.prepare<{ workflowId: number; atMs: number; type: string; data: string }>(`
    insert into change_log (workflow_id, at_ms, event_type, data)
    values (:workflowId, :atMs, :type, :data)`);
  const since = db.prepare<{ workflowId: number; fromId: number; limit: number }, Row>(`
    select id, workflow_id, at_ms, event_type, data
    from change_log
    where id >= :fromId and workflow_id = :workflowId
    order by id
    limit :limit`);

  const listeners = new Map<number, Set<(change: Change) => void>>();
  let recorded: Change[] = [];
  let publishedId =
    db.prepare<NoParameters, { id: number | null }>('select max(id) as id from change_log').get({})?.id ?? 0;

  return {
    record(workflowId, type, entries) {
      const atMs = now();
      const id = insert.insert({ workflowId, atMs, type, data: JSON.stringify(entries) });
      recorded.push({ id, workflow_id: workflowId, at_ms: atMs, event_type: type, entries });
    },
    since: (workflowId, fromId, limit) =>
      since
        .all({ workflowId, fromId, limit })
        .map(({ data, ...row }) => ({ ...row, entries: JSON.parse(data) as unknown[] })),
    subscribe(workflowId, listener) {
      const set = listeners.get(workflowId) ?? new Set();
      listeners.set(workflowId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(workflowId);
      };
    },
    get lastId() {
      return recorded.at(-1)?.id ?? publishedId;
    },
    mark: () => recorded.length,
    forgetSince(mark) {
      recorded.length = mark;
    },
    publish() {
      const changes = recorded;
      recorded = [];
      publishedId = changes.at(-1)?.id ?? publishedId;
      for (const change of changes) {
        for (const listener of listeners.get(change.workflow_id) ?? []) listener(change);
      }
    },
  };
}

/** How loudly a change is told. */
export const severityOf = (type: StreamEventType) => streamEvents[type];
