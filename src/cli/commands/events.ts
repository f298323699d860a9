import type { Event, StreamEvent } from '../../core/contract/event.ts';
import type { Command } from '../command.ts';
import { integer, number } from '../option.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import type { Column } from '../output/table.ts';
import { allRows, pagingOptions } from '../paging.ts';

const levelOf = ({ data }: Event) =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? (data['level'] ?? 'info') : 'info';
const typeOf = ({ data }: Event) =>
  typeof data === 'object' && data !== null && !Array.isArray(data)
    ? (data['event_type'] ?? data['category'] ?? '')
    : '';

const columns: readonly Column<Event>[] = [
  { title: 'Timestamp', value: ({ timestamp }) => localTime(timestamp) },
  { title: 'Level', value: levelOf },
  { title: 'Event Type', value: typeOf },
  { title: 'Data', value: ({ data }) => JSON.stringify(data) },
];

export const eventsList: Command = {
  words: 'events list [workflow]',
  says: 'List the events that people and programs wrote down.',
  options: [
    { flags: '-t, --type <category>', says: 'only of this category' },
    { flags: '--category <category>', says: 'the same as --type' },
    ...pagingOptions,
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const category = (options['category'] ?? options['type']) as string | undefined;
    const items = await allRows(options, (paging) =>
      client.listEvents({ query: { workflow_id: id, category, ...paging } }),
    );
    context.output.list({
      items,
      columns,
      things: 'events',
      title: `Events for workflow ${id}:`,
      empty: `No events found for workflow ID: ${id}`,
      json: { items: items.map((event) => ({ ...event, timestamp_formatted: localTime(event.timestamp) })) },
    });
  },
};

export const eventsMonitor: Command = {
  words: 'events monitor [workflow]',
  says: 'Print what happens in a workflow, as it happens, until Ctrl-C.',
  options: [
    { flags: '-d, --duration <minutes>', says: 'end after so many minutes', read: number('--duration', 0) },
    {
      flags: '--level <level>',
      says: 'least severity',
      default: 'info',
      choices: ['debug', 'info', 'warning', 'error'],
    },
    { flags: '--last-event-id <id>', says: 'begin behind this event' },
    { flags: '--limit <n>', says: 'end after so many events', read: integer('--limit', 1) },
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const { connection } = await context.service();
    const { followEvents } = await import('../../client/event-stream.ts');
    const { queryOf } = await import('../../client/client.ts');
    const abort = new AbortController();
    process.once('SIGINT', () => abort.abort());
    const minutes = options['duration'] as number | undefined;
    if (minutes !== undefined) setTimeout(() => abort.abort(), minutes * 60_000).unref();
    const openFrom = connection.events(`/workflows/${id}/events/stream${queryOf({ level: options['level'] })}`);
    let first = options['lastEventId'] as string | undefined;
    const events = followEvents({
      open: (last, signal) => openFrom(last ?? first, signal),
      signal: abort.signal,
      wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
      onLost: (error) =>
        context.output.warn(`the event stream was lost (${(error as Error).message}); connecting again`),
    });
    let left = (options['limit'] as number | undefined) ?? Infinity;
    for await (const { event } of events) {
      first = undefined;
      context.output.text(
        context.output.format === 'json' ? JSON.stringify(told(event), undefined, 2) : eventText(event),
      );
      left -= 1;
      if (left <= 0) abort.abort();
    }
  },
};

const told = (event: StreamEvent) => ({ ...event, timestamp_formatted: localTime(event.timestamp) });

function eventText({ timestamp, severity, event_type: type, data }: StreamEvent): string {
  return `${localTime(timestamp)} ${severity.toUpperCase().padEnd(7)} ${type} ${JSON.stringify(data)}`;
}

/** `2026-11-21 14:05:09 +0100`, in the time zone of the person. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`;
}
