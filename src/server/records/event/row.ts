import type { Event } from '../../../core/contract/event.ts';
import type { Database } from '../../store/database.ts';

export const eventOf = ({
  data,
  ...row
}: {
  id: number;
  workflow_id: number;
  timestamp: number;
  data: string;
}): Event => ({
  ...row,
  data: JSON.parse(data),
});

/** Inserts an event and returns its id. */
export const insertEvent = (db: Database) =>
  db.prepare<{ workflowId: number; timestamp: number; data: string }>(
    'insert into event (workflow_id, timestamp, data) values (:workflowId, :timestamp, :data)',
  );
