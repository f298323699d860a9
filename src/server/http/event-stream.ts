import type { Hono } from 'hono';
import { severities, type StreamEventType } from '../../core/contract/event.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Input, routes } from '../../core/contract/routes.ts';
import type { Permissions } from '../store/caller.ts';
import { type Change, severityOf } from '../store/changes.ts';
import type { Store } from '../store/store.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import { headersFor } from './headers.ts';

/**
 * The event stream of a workflow, as Server-Sent Events.
 *
 * Events are pushed as they are committed. The id of an event is `row.place`: its row in the change log and its place
 * there. A client that comes back with `Last-Event-ID` is first served from the log; so is one that reads too slowly,
 * which then costs a place in the log and no memory. Nothing is dropped.
 */
export function serveEvents(app: Hono<Answers>, store: Store, permissions: Permissions): void {
  const { path, access } = routes.streamEvents;
  app.get(path.replace('{id}', ':id'), (context) => {
    const asked = checkedHead(routes.streamEvents, context) as Input<'streamEvents'>;
    const { id: workflowId } = asked.params;
    store.find.workflow(workflowId);
    const caller = callerOf(context);
    permissions.check(access, { params: { id: workflowId }, query: {}, body: {} }, caller);
    const isWelcome = () => permissions.sees(caller, workflowId);
    const wanted = filterOf(asked.query);
    const last = context.req.header('last-event-id');
    const place = last === undefined ? undefined : placeOf(last);
    return context.body(eventsOf(store, workflowId, wanted, isWelcome, place), 200, {
      ...headersFor(context, 'text/event-stream'),
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
  });
}

/** A place in the log: everything up to it, itself included, has been told. */
interface Place {
  readonly row: number;
  readonly entry: number;
}

/** Rows read from the log at a time for a client that catches up. */
const CATCH_UP_ROWS = 200;
/** A client hears at once of what happens after a silence, and then this often: each telling costs a system call a client. */
const GATHER_MS = 10;
/** Bytes that may wait for a client before it is served from the log instead. */
const WAITING_BYTES = 256 * 1024;
/** Silence after which a comment is sent, so that both sides and the proxies between learn of a dead connection. */
const KEEP_ALIVE_MS = 15_000;

function eventsOf(
  store: Store,
  workflowId: number,
  wanted: (type: StreamEventType) => boolean,
  isWelcome: () => boolean,
  last: Place | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // Without a place to begin at, behind everything that has happened, told to others already or not yet.
  let told: Place = last ?? { row: store.changes.lastId, entry: Number.MAX_SAFE_INTEGER };
  let isLive = last === undefined;
  let stop = () => {};

  const wantedText = (change: Change): string => {
    if (change.id < told.row || !wanted(change.event_type)) return '';
    const texts = textsOf(change);
    return (change.id === told.row ? texts.slice(told.entry + 1) : texts).join('');
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let gathered = '';
        /** The last change that is in `gathered`, or was passed over. */
        let reached = told.row;
        let isPaused = false;
        let pause: NodeJS.Timeout | undefined;
        const flush = () => {
          isPaused = gathered !== '';
          if (!isPaused) return;
          controller.enqueue(encoder.encode(gathered));
          gathered = '';
          told = { row: reached, entry: Number.MAX_SAFE_INTEGER };
          pause = setTimeout(flush, GATHER_MS);
        };
        const unsubscribe = store.changes.subscribe(workflowId, (change) => {
          if (!isLive) return;
          if ((controller.desiredSize ?? 0) <= gathered.length) {
            isLive = false;
            gathered = '';
            return;
          }
          gathered += wantedText(change);
          reached = change.id;
          if (isPaused) return;
          // Not at once: what else the same turn changed goes along.
          isPaused = true;
          queueMicrotask(flush);
        });
        const keepAlive = setInterval(() => {
          if (isWelcome()) {
            controller.enqueue(encoder.encode(': keep-alive\n\n'));
            return;
          }
          stop();
          controller.close();
        }, KEEP_ALIVE_MS);
        stop = () => {
          clearInterval(keepAlive);
          clearTimeout(pause);
          unsubscribe();
        };
        // Says at once that the stream stands: a client that asks only after this misses nothing.
        controller.enqueue(encoder.encode(': connected\n\n'));
      },
      pull(controller) {
        while (!isLive && (controller.desiredSize ?? 0) > 0) {
          const changes = store.changes.since(workflowId, told.row, CATCH_UP_ROWS);
          for (const change of changes) {
            const text = wantedText(change);
            if (text !== '') controller.enqueue(encoder.encode(text));
            told = { row: change.id, entry: change.entries.length - 1 };
          }
          if (changes.length < CATCH_UP_ROWS) isLive = true;
        }
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
  );
}

const texts = new WeakMap<Change, string[]>();

/** What clients are told of a change, an entry each: the same to all, so it is written once. */
function textsOf(change: Change): string[] {
  let found = texts.get(change);
  if (found === undefined) {
    const { id, workflow_id, at_ms, event_type, entries } = change;
    const common = { workflow_id, timestamp: at_ms, event_type, severity: severityOf(event_type) };
    found = entries.map(
      (entry, index) =>
        `id: ${id}.${index}\nevent: ${event_type}\ndata: ${JSON.stringify({ ...common, data: entry })}\n\n`,
    );
    texts.set(change, found);
  }
  return found;
}

function placeOf(text: string): Place {
  const match = /^(\d+)\.(\d+)$/.exec(text);
  if (match === null) {
    throw new Refusal('PARAMETER_REFUSED', `Last-Event-ID is not one of this stream's: "${text}"`, { found: text });
  }
  return { row: Number(match[1]), entry: Number(match[2]) };
}

/** Which types a client hears of: those it names, or all that are loud enough. An unknown level is info, as in the original. */
function filterOf({
  level,
  types,
}: {
  level?: string | undefined;
  types?: string | undefined;
}): (type: StreamEventType) => boolean {
  if (types !== undefined) {
    const named = new Set(types.split(','));
    return (type) => named.has(type);
  }
  const asked = severities.indexOf((level ?? 'info').toLowerCase() as (typeof severities)[number]);
  const least = asked === -1 ? severities.indexOf('info') : asked;
  return (type) => severities.indexOf(severityOf(type)) >= least;
}
