import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamEvent } from '../core/contract/event.ts';
import { ServiceError, Unreachable } from './errors.ts';

/** An event, by default of a workflow, with its position in the stream. */
export interface PlacedEvent<Event = StreamEvent> {
  readonly id: string | undefined;
  readonly event: Event;
}

/** Opens the stream after the event with this id; returns the parts as text. Throws if the stream cannot be opened. */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<string>>;

export interface FollowOptions {
  readonly open: OpenStream;
  readonly signal: AbortSignal;
  /** Resolves after this many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Called when the stream is connected, also after a reconnect. */
  readonly onConnected?: () => void;
  /** Called when the connection was lost or could not be opened. */
  readonly onLost?: (error: unknown) => void;
}

/** The first and the longest pause after a lost connection; the pause doubles in between. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The events of a stream, until the consumer stops.
 *
 * A broken connection is opened again after the last event, so no event is missed and none arrives twice.
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
          // Set before the event is parsed, so that an unreadable event is not requested repeatedly.
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

/**
 * Whether connecting again is useless, for `onLost`: a refusal stays the same, as that of a URL without the path of the service, and a
 * server that was never reached is reported at once.
 */
export const isLostForGood = (error: unknown, wasConnected: boolean): boolean =>
  (error instanceof ServiceError && error.status < 500) || (error instanceof Unreachable && !wasConnected);
