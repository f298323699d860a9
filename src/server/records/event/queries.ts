import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Event } from '../../../core/contract/event.ts';
import type { Database } from '../../store/database.ts';
import { type FiltersOn, createListing, type OfWorkflow, sortable } from '../../store/listing.ts';
import { whole } from '../records.ts';
import { eventOf, insertEvent } from './row.ts';

export const eventQueries = (db: Database) => ({
  events: whole(db, 'event', (row: Parameters<typeof eventOf>[0]) => eventOf(row)),
  insertEvent: insertEvent(db),
  listEvents: createListing<
    OfWorkflow & FiltersOn<{ category: string; after_timestamp: number }>,
    Parameters<typeof eventOf>[0],
    Event
  >(
    db,
    {
      columns: 'event.*',
      from: 'event',
      filters: {
        workflow_id: 'event.workflow_id = :workflow_id',
        category: "json_extract(event.data, '$.category') = :category",
        after_timestamp: 'event.timestamp > :after_timestamp',
      },
      sortable: sortable('event', sortFields.event),
      idColumn: 'event.id',
    },
    eventOf,
  ),
  updateEvent: db.prepare<{ id: number; data: string }>('update event set data = :data where id = :id'),
});
