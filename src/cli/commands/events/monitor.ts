import { appendFileSync } from 'node:fs';
import { after, pause } from '../../../client/long-timers.ts';
import type { StreamEvent } from '../../../core/contract/event.ts';
import { streamEventWords } from '../../../core/lifecycle/explain/event-words.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, numberOption, option } from '../../command/option.ts';
import { localTime } from '../../output/local-time.ts';

export const eventsMonitor = command('events monitor [workflow]', {
  says: 'Print the events of a workflow as they happen, until Ctrl-C.',
  more: 'Each is a line: when, how severe, and a sentence; -f json has its type and data.',
  options: [
    option('-d, --duration <minutes>', 'end after this many minutes', { read: numberOption(0) }),
    option('--level <level>', 'minimum severity', { default: 'info', choices: ['debug', 'info', 'warning', 'error'] }),
    option('--filename <file>', 'append the events to this file as well'),
    option('--last-event-id <id>', 'begin after this event'),
    option('--limit <n>', 'end after this many events', { read: integerOption(1) }),
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const append = appendTo(options.filename);
    const { connection } = await context.service();
    const { followEvents, isLostForGood } = await import('../../../client/event-stream.ts');
    const { queryOf } = await import('../../../client/client.ts');
    const abort = new AbortController();
    process.once('SIGINT', () => abort.abort());
    const minutes = options.duration;
    if (minutes !== undefined) after(minutes * 60_000, () => abort.abort()).unref();
    const openFrom = connection.events(`/workflows/${id}/events/stream${queryOf({ level: options.level })}`);
    let first = options.lastEventId;
    // An outage is reported once, until it is over.
    let wasReached = false;
    let reported: string | undefined;
    const events = followEvents({
      open: (last, signal) => openFrom(last ?? first, signal),
      signal: abort.signal,
      wait: pause,
      onConnected() {
        wasReached = true;
        reported = undefined;
      },
      onLost: (error) => {
        if (isLostForGood(error, wasReached)) throw error;
        const { message } = error as Error;
        if (message !== reported) context.output.warn(`the event stream was lost (${message}); connecting again`);
        reported = message;
      },
    });
    let left = options.limit ?? Infinity;
    for await (const { id: eventId, event } of events) {
      // Torc's own server has no event ids and repeats none.
      if (first !== undefined && eventId === undefined)
        context.output.warn('this server does not number its events, so earlier events are not repeated');
      first = undefined;
      const text =
        context.output.format === 'json' ? JSON.stringify(withLocalTime(event), undefined, 2) : eventText(event);
      context.output.text(text);
      append(`${text}\n`);
      left -= 1;
      if (left <= 0 || event.event_type === 'workflow_deleted') break;
    }
    abort.abort();
  },
});

/** Appends to a file, if one is named; an unwritable file is refused at once. */
function appendTo(file: string | undefined): (text: string) => void {
  if (file === undefined) return () => {};
  const append = (text: string) => {
    try {
      appendFileSync(file, text);
    } catch (cause) {
      throw new Failure(`cannot write to ${file}: ${(cause as Error).message}`, { cause });
    }
  };
  append('');
  return append;
}

const withLocalTime = (event: StreamEvent) => ({ ...event, timestamp_formatted: localTime(event.timestamp) });

function eventText({ timestamp, severity, event_type: type, data }: StreamEvent): string {
  return `${localTime(timestamp)} ${severity.toUpperCase().padEnd(7)} ${streamEventWords(type, data)}`;
}
