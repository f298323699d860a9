/** A position in the log: everything up to and including it was sent. */
export interface LogPosition {
  readonly row: number;
  readonly entry: number;
}

/** All entries of the row. */
export const WHOLE_ROW = Number.MAX_SAFE_INTEGER;

/** The events of a workflow that are left: those after `prunedId`, up to `lastId`. */
interface Log {
  readonly prunedId: number;
  readonly lastId: number;
}

interface Missed {
  /** Where the client continues. */
  readonly lostId: number;
  /** The data of the event `log_pruned`. */
  readonly reported: Readonly<Record<string, unknown>>;
}

/** What a reconnecting client cannot get: its position is no longer in the log, or never was. */
export function missedSince({ row, entry }: LogPosition, { prunedId, lastId }: Log): Missed | undefined {
  const lastEventId = `${row}.${entry}`;
  if (row < prunedId || (row === prunedId && row > 0 && entry !== WHOLE_ROW)) {
    const message = 'events after this id were removed from the log; read the state of the workflow again';
    return { lostId: prunedId, reported: { message, last_event_id: lastEventId } };
  }
  if (row > lastId) {
    const message =
      'this log does not contain the event, so the database is a different one; read the state of the workflow again';
    return { lostId: lastId, reported: { message, last_event_id: lastEventId } };
  }
  return undefined;
}
