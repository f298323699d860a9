import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamEvent } from '../core/contract/event.ts';

/** An event, of a workflow unless said, with its place in the stream. */
export interface PlacedEvent<Event = StreamEvent> {
  readonly id: string | undefined;
  readonly event: Event;
}

/** Opens the stream from behind the event with this id; the parts that arrive, as text. Throws when there is no stream. */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<string>>;

export interface FollowOptions {
  readonly open: OpenStream;
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** The stream stands, for the first time or again. */
  readonly onConnected?: () => void;
  /** The stream broke or could not be opened. */
  readonly onLost?: (error: unknown) => void;
}

/** First pause after a lost connection, and the longest: doubling in between. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The events of a stream for as long as anybody wants them.
 *
 * A connection that breaks is opened again from behind the last event, so nothing is missed and nothing comes twice.
 */
export async function* followEvents<Event = StreamEvent>({
  open,
  signal,
  wait,
  onConnected,
  onLost,
}: FollowOptions): AsyncGenerator<PlacedEvent<Event>> {
  let lastEventId: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const arrived: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (message) => void arrived.push(message) });
      const parts = await open(lastEventId, signal);
      pauseMs = FIRST_PAUSE_MS;
      onConnected?.();
      for await (const part of parts) {
        parser.feed(part);
        for (const { id, data } of arrived.splice(0)) {
          // Before it is read: one that cannot be read is not asked for again and again.
          lastEventId = id ?? lastEventId;
          yield { id, event: JSON.parse(data) as Event };
        }
      }
      throw new Error('the server ended the event stream');
    } catch (error) {
      if (signal.aborted) return;
      onLost?.(error);
      await wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}
