import type { Handlers } from '../../handlers.ts';
import { countReply, type Deletions } from '../deletion/deletion.ts';
import { listByQuery, read, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { eventQueries } from './queries.ts';

export const eventHandlers = ({ db, find, now }: Store, deletion: Deletions) => {
  const queries = eventQueries(db);
  const { events } = queries;

  return {
    createEvent({ body }) {
      find.workflow(body.workflow_id);
      const timestamp = now();
      const id = queries.insertEvent.insert({
        workflowId: body.workflow_id,
        timestamp,
        data: JSON.stringify(body.data),
      });
      return { workflow_id: body.workflow_id, timestamp, data: body.data, id };
    },
    listEvents: listByQuery(find, events.list),
    getEvent: ({ params }) => read(events, params.id),
    updateEvent({ params: { id }, body }) {
      read(events, id);
      queries.updateEvent.run({ id, data: JSON.stringify(body) });
      return read(events, id);
    },
    deleteEvent: ({ params }) => removeRecord(events, params.id),
    deleteEvents: ({ query }) => deletion.all(query.workflow_id, 'event', countReply),
  } satisfies Partial<Handlers>;
};
