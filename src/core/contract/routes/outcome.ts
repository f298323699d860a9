import * as z from 'zod';
import { NewEvent, StreamEvent } from '../event.ts';
import { causeCode } from '../cause-code.ts';
import { jobStatus } from '../job.ts';
import { NewResult } from '../result.ts';
import { cursor, json, queryFlag, queryInteger, text } from '../shape.ts';
import { type Route, workflowRoute } from './route.ts';
import { recordRoutes } from './record-routes.ts';

const results = recordRoutes({ path: '/results', table: 'result', shape: NewResult });
const events = recordRoutes({ path: '/events', table: 'event', shape: NewEvent });

/** Results and events. */
export const outcomeRoutes = {
  listResults: results.list('List results: the current one of each job, or with all_runs all of them.', {
    job_id: queryInteger.optional(),
    run_id: queryInteger.optional(),
    return_code: queryInteger.optional(),
    status: jobStatus.optional(),
    compute_node_id: queryInteger.optional(),
    /** addition */
    cause_code: causeCode.optional(),
    all_runs: queryFlag.optional(),
  }),
  getResult: results.get('Get one result.'),
  createEvent: events.create('Create an event.'),
  listEvents: events.list('List the events that users and programs created.', {
    category: text.optional(),
    after_timestamp: queryInteger.optional(),
    ...cursor,
  }),
  getEvent: events.get('Get one event.'),
  createResult: results.create('Store a result; its job does not change.'),
  updateResult: results.update('Change a result; fields that are left out keep their value.', NewResult.partial()),
  deleteResult: results.delete('Delete a result.'),
  deleteResults: { ...results.deleteAll('Delete all results of a workflow.'), kind: 'work' },
  updateEvent: events.update('Replace the data of an event.', json),
  deleteEvent: events.delete('Delete an event.'),
  deleteEvents: { ...events.deleteAll('Delete all events of a workflow.'), kind: 'work' },
  streamEvents: workflowRoute('GET', '/workflows/{id}/events/stream', 'stream', {
    says: 'Stream the events of a workflow as they happen. With Last-Event-ID no event is missed after a lost connection; if later events are no longer in the log, the first event is log_pruned.',
    query: z.object({ level: text.optional(), types: text.optional() }),
    reply: StreamEvent,
  }),
} as const satisfies Record<string, Route>;
