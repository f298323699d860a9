import type { StreamEventType } from '../../core/contract/event.ts';
import type { Store } from '../records/store.ts';
import { nextTurn } from '../store/slices.ts';
import { missedSince, type LogPosition, WHOLE_ROW } from './missed-events.ts';
import { CUT_MS, KEEP_ALIVE_MS, STALL_MS, type StreamOptions, type Viewing } from './stream.ts';
import { createUnread } from './unread.ts';
import { type Change, severityOf } from '../store/changes.ts';

/**
 * The clients of the event stream of a workflow.
 *
 * A client is live or catches up. A live one gets events as they are committed. One that reconnected with
 * `Last-Event-ID`, or that read too slowly, catches up: it is served from the log, a piece in each iteration of the
 * event loop, and is live again at the end of the log. So a slow client needs only a position in the log and little
 * memory, and misses nothing. The id of an event is `row.place`: its row in the log and its position there.
 *
 * The server ends a stream, and says why, when the workflow was deleted, when the caller may no longer see it, and when
 * the client does not read.
 */
interface Listen extends Viewing {
  readonly workflowId: number;
  /** The event types that the client requested. */
  readonly types: ReadonlySet<StreamEventType>;
  /** The last event that the client received before. */
  readonly last: LogPosition | undefined;
}

/** Bytes that may wait for one client; later ones are read from the log when needed. */
const WAITING_BYTES = 256 * 1024;
/**
 * Bytes that may wait for all clients together, shared equally. Too few, and a thousand clients read each burst from
 * the log instead of memory; too many, and they take the server's memory: it may use 300 MB at a million jobs.
 */
const ALL_WAITING_BYTES = 32 * 2 ** 20;
/** The minimum share of a client, so that each makes progress. */
const LEAST_BYTES = 4 * 1024;
/** The maximum read from the log in one iteration of the event loop: 2 ms to read and to write as text. */
const PIECE_LENGTH = 64 * 1024;
/**
 * A client gets an event at once after a pause, and then at this interval: each message costs a system call a client.
 */
const GATHER_MS = 10;
export function createListeners(store: Store, { onDropped, stallMs = STALL_MS }: StreamOptions) {
  const { changes, now } = store;
  const encoder = new TextEncoder();
  const flushSoon = createFlushes();
  let count = 0;
  const share = () => Math.min(WAITING_BYTES, Math.max(LEAST_BYTES, Math.floor(ALL_WAITING_BYTES / count)));

  const listen = ({ workflowId, types, isWelcome, onRightsChanged, last, cut }: Listen): ReadableStream<Uint8Array> => {
    // A deleted workflow ends the stream, so every client gets this event.
    const wanted = [...types, 'workflow_deleted' as const];
    let reported: LogPosition = last ?? { row: changes.lastId, entry: WHOLE_ROW };
    let hold: ReturnType<typeof changes.hold> | undefined;
    let isBusy = false;
    let isClosed = false;
    let gathered = '';
    /** The last change that is in `gathered`, or was skipped. */
    let reached = reported.row;
    let isPaused = false;
    let pause: NodeJS.Timeout | undefined;
    let enqueued = 0;
    let stream: ReadableStreamDefaultController<Uint8Array>;

    const waiting = () => WAITING_BYTES - (stream.desiredSize ?? 0);
    const room = () => share() - waiting() - gathered.length;
    const send = (text: string) => {
      const bytes = encoder.encode(text);
      enqueued += bytes.length;
      stream.enqueue(bytes);
    };

    const close = () => {
      isClosed = true;
      count -= 1;
      clearInterval(keepAlive);
      clearTimeout(pause);
      hold?.release();
      unsubscribe();
      unwatch();
    };
    const end = (reason?: string, facts: Readonly<Record<string, unknown>> = {}) => {
      if (isClosed) return;
      if (reason !== undefined) {
        send(eventText(`${reported.row}.${WHOLE_ROW}`, workflowId, now(), 'stream_closed', { reason, ...facts }));
        onDropped?.(reason, { workflow_id: workflowId, ...facts });
      }
      close();
      stream.close();
    };

    const flush = () => {
      isPaused = gathered !== '' && !isClosed;
      if (!isPaused) return;
      send(gathered);
      gathered = '';
      reported = { row: reached, entry: WHOLE_ROW };
      pause = setTimeout(afterPause, GATHER_MS);
    };
    const afterPause = () => {
      if (gathered === '') isPaused = false;
      else flushSoon(flush);
    };

    const fallBack = () => {
      gathered = '';
      hold = changes.hold(reported.row);
      // If no data waits for the client, it does not request more.
      void catchUp();
    };

    /** Reads from the log while there is room; if the buffer is full, the client's next read continues. */
    const catchUp = async () => {
      if (isBusy) return;
      isBusy = true;
      while (hold !== undefined && !isClosed && room() > 0) {
        await nextTurn();
        if (!isClosed) catchUpOnce();
      }
      isBusy = false;
    };
    const catchUpOnce = () => {
      const from = reported.entry === WHOLE_ROW ? reported.row + 1 : reported.row;
      const piece = changes.read(workflowId, from, wanted, Math.min(PIECE_LENGTH, Math.max(1, room())));
      let text = '';
      for (const change of piece.changes) {
        const texts = textsOf(change);
        text += (change.id === reported.row ? texts.slice(reported.entry + 1) : texts).join('');
      }
      if (text !== '') send(text);
      reported = { row: Math.max(reported.row, piece.lastId), entry: WHOLE_ROW };
      reached = reported.row;
      if (piece.changes.some(({ event_type: type }) => type === 'workflow_deleted')) end();
      else if (piece.isEnd) {
        hold?.release();
        hold = undefined;
      } else if (hold !== undefined) hold.fromId = reported.row;
    };

    const unsubscribe = changes.subscribe(workflowId, (change) => {
      if (hold !== undefined || change.id <= reported.row) return;
      const isEnd = change.event_type === 'workflow_deleted';
      if (types.has(change.event_type) || isEnd) {
        const text = textsOf(change).join('');
        if (text.length > room()) return fallBack();
        gathered += text;
      }
      reached = change.id;
      if (isEnd) {
        flush();
        end();
      } else if (!isPaused) {
        isPaused = true;
        flushSoon(flush);
      }
    });

    const endIfUnwelcome = () => {
      if (!isWelcome()) end('you may no longer see this workflow');
      return isClosed;
    };
    const unwatch = onRightsChanged(endIfUnwelcome);
    const tickMs = Math.min(KEEP_ALIVE_MS, stallMs);
    const unread = createUnread(tickMs, stallMs);
    const keepAlive = setInterval(() => {
      // Rights may be changed with SQL, too.
      if (endIfUnwelcome()) return;
      const reason = unread({ read: enqueued - waiting(), waiting: waiting() });
      if (reason !== undefined) {
        end(reason, { waiting_bytes: waiting() });
        setTimeout(cut, CUT_MS).unref();
      } else if (waiting() === 0) send(': keep-alive\n\n');
    }, tickMs);

    count += 1;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream = controller;
          // Confirms at once that the stream is connected: a client that reads the state only after this misses
          // nothing.
          send(': connected\n\n');
          if (last === undefined) return;
          const missed = missedSince(last, { prunedId: changes.prunedId(workflowId), lastId: changes.lastId });
          if (missed !== undefined) {
            send(eventText(`${missed.lostId}.${WHOLE_ROW}`, workflowId, now(), 'log_pruned', missed.reported));
            reported = { row: missed.lostId, entry: WHOLE_ROW };
          }
          fallBack();
        },
        pull() {
          if (hold !== undefined) void catchUp();
        },
        cancel() {
          if (!isClosed) close();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
    );
  };

  return { listen };
}

const texts = new WeakMap<Change, string[]>();

/** The events of a change as text: the same for all clients, so it is written once. */
function textsOf(change: Change): string[] {
  let found = texts.get(change);
  if (found === undefined) {
    const { id, workflow_id: workflowId, at_ms: atMs, event_type: type, entries } = change;
    found = entries.map((entry, index) => eventText(`${id}.${index}`, workflowId, atMs, type, entry));
    texts.set(change, found);
  }
  return found;
}

/** One event in the format of the protocol. */
function eventText(id: string, workflowId: number, atMs: number, type: StreamEventType, entry: unknown): string {
  const event = { workflow_id: workflowId, timestamp: atMs, event_type: type, severity: severityOf(type), data: entry };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/**
 * Messages that are sent in one iteration of the event loop. A burst of a hundred ends costs 0.2 ms for each client; a thousand
 * clients at once would hold up all other requests for that long together.
 */
const AT_ONCE = 32;

/** Calls what it gets in the order of the calls: soon, but only so many in one iteration of the event loop. */
export function createFlushes(atOnce = AT_ONCE): (flush: () => void) => void {
  let waiting: (() => void)[] = [];
  let isPlanned = false;
  const run = () => {
    const some = waiting.slice(0, atOnce);
    waiting = waiting.slice(atOnce);
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(run);
    for (const flush of some) flush();
  };
  return (flush) => {
    waiting.push(flush);
    if (isPlanned) return;
    isPlanned = true;
    // Not at once, so that further changes of the same iteration are included.
    queueMicrotask(run);
  };
}
