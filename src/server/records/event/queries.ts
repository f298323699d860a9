import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Event } from '../../../core/contract/event.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database } from '../../store/database.ts';
import { recordTable } from '../records.ts';
import { eventOf, insertEvent } from './row.ts';

export const eventQueries = (db: Database) => ({
  events: recordTable<Input<'listEvents'>['query'], Parameters<typeof eventOf>[0], Event>(
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
