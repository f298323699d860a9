import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Event } from '../../../core/contract/event.ts';
import { eventWords } from '../../../core/lifecycle/explain/event-words.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { jsonValue } from '../../command/json-value.ts';
import { localTime } from '../../output/local-time.ts';
import { fieldsText } from '../../output/fields.ts';
import type { Column } from '../../output/table.ts';
import { letteredPagingOptions } from '../../records/paging.ts';
import { deleteCommand, listCommand } from '../../records/record-commands.ts';
import { eventsMonitor } from './monitor.ts';
import { option } from '../../command/option.ts';

const fieldsOf = ({ data }: Event) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : ({} as Record<string, undefined>);

const columns: readonly Column<Event>[] = [
  { title: 'Timestamp', value: ({ timestamp }) => localTime(timestamp), importance: 6 },
  { title: 'Level', value: (event) => fieldsOf(event)['level'] ?? 'info', importance: 3 },
  {
    title: 'Event Type',
    value: (event) => fieldsOf(event)['event_type'] ?? fieldsOf(event)['category'] ?? '',
    cut: 'end',
    importance: 9,
  },
  {
    title: 'Data',
    heading: 'What Happened',
    value: ({ data }) => JSON.stringify(data),
    text: ({ data }) => eventWords(data),
    cut: 'end',
    importance: 5,
  },
];

/** An event as JSON, with a readable time. */
const reported = (event: Event) => ({ ...event, timestamp_formatted: localTime(event.timestamp) });

const eventsCreate = command('events create [workflow]', {
  says: 'Create an event.',
  example: '1 --data \'{"note": "disk was full"}\'',
  more: 'The data is any JSON; lists show its "category" (or "event_type") and "level".',
  options: [option('-d, --data <json>', 'what happened, as JSON', { read: jsonValue, required: true })],
  async run(context, [workflow], options) {
    context.output.recordOnly('event');
    const { id, client } = await openWorkflow(context, workflow);
    // The server writes its own time; the contract still requires one.
    const body = { workflow_id: id, timestamp: Date.now(), data: options.data };
    const event = await client.createEvent({ body });
    context.output.record('event', event, `Created event ${event.id}`);
  },
});

const eventsList = listCommand('events list', {
  says: 'List the events that users and programs created.',
  things: 'events',
  options: [
    option('-t, --type <category>', 'only events of this category'),
    option('--category <category>', 'the same as --type'),
    ...letteredPagingOptions(sortFields.event),
  ],
  columns,
  page: (client, id, options, paging) => {
    const category = options.category ?? options.type;
    return client.listEvents({ query: { workflow_id: id, category, ...paging } });
  },
  json: reported,
});

const eventsGetLatest = command('events get-latest-event [workflow]', {
  says: 'Show the most recent event.',
  async run(context, [workflow]) {
    context.output.recordOnly('event');
    const { id, client } = await openWorkflow(context, workflow);
    const query = { workflow_id: id, sort_by: 'id', reverse_sort: true, limit: 1 };
    const [latest] = (await client.listEvents({ query })).items;
    if (latest === undefined) context.output.record('event', null, `No events found for workflow ID: ${id}`);
    else context.output.record('event', reported(latest), fieldsText(`Event ${latest.id}:`, reported(latest)));
  },
});

const eventsDelete = deleteCommand('events delete', {
  thing: 'event',
  remove: (client, id) => client.deleteEvent({ params: { id } }),
});

export const eventCommands: readonly Command[] = [
  eventsCreate,
  eventsList,
  eventsMonitor,
  eventsGetLatest,
  eventsDelete,
];
