import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Event } from '../../../core/contract/event.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database } from '../../store/database.ts';
import type { RowOf } from '../present.ts';
import { recordTable } from '../records.ts';

export const eventQueries = (db: Database) => ({
  events: recordTable<Input<'listEvents'>['query'], EventRow, Event>(
    db,
    {
      table: 'event',
      filters: {
        workflow_id: 'equal',
        category: "json_extract(event.data, '$.category') = :category",
        after_timestamp: 'event.timestamp > :after_timestamp',
      },
      sortable: sortFields.event,
    },
    eventOf,
  ),
  insertEvent: insertEvent(db),
  updateEvent: db.prepare<{ id: number; data: string }>('update event set data = :data where id = :id'),
});

type EventRow = Omit<RowOf<Event>, 'data'> & { data: string };
const eventOf = ({ data, ...row }: EventRow): Event => ({ ...row, data: JSON.parse(data) });

/** Inserts an event and returns its id. */
export const insertEvent = (db: Database) =>
  db.prepare<{ workflowId: number; timestamp: number; data: string }>(
    'insert into event (workflow_id, timestamp, data) values (:workflowId, :timestamp, :data)',
  );
