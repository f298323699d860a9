import type { Hono } from 'hono';
import { type Input, routes } from '../../core/contract/routes.ts';
import type { TrafficLog } from '../admin/traffic.ts';
import type { Permissions } from '../caller.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import type { EventStreamOptions } from './event-stream.ts';
import { eventHeaders } from './headers.ts';
import { type HeldLogins, isStillAllowed } from './held-login.ts';
import { respond } from './reply.ts';

/** Events that may wait for a client; later ones are counted and reported as one warning. */
const CAPACITY = 256;
const KEEP_ALIVE_MS = 15_000;

/** How long a client may leave sent data unread; a client that never reads uses memory until it is disconnected. */
const STALL_MS = 60_000;
/** The time for the last event of a stream before its connection is closed. */
const CUT_MS = 2_000;

/** The stream of requests that the server answers, as Server-Sent Events. It ends with the login of its client. */
export function serveApiEvents(
  app: Hono<Answers>,
  traffic: TrafficLog,
  permissions: Permissions,
  { logins, onDropped, stallMs = STALL_MS }: EventStreamOptions & { readonly logins: HeldLogins },
): void {
  const { path } = routes.streamApiEvents;
  app.get(path, (context) => {
    const caller = callerOf(context);
    permissions.check('streamApiEvents', { params: {}, query: {}, body: {} }, caller);
    const isLoggedIn = logins.of(context);
    const { query } = checkedHead(routes.streamApiEvents, context) as Input<'streamApiEvents'>;
    const stream = feed(traffic, {
      withBodies: query.include_bodies ?? false,
      stallMs,
      isWelcome: () => isLoggedIn() && isStillAllowed(permissions, 'streamApiEvents', caller),
      onRightsChanged: logins.onChange,
      onStalled(reason) {
        onDropped?.(reason, { path });
        setTimeout(() => context.env?.outgoing?.destroy(), CUT_MS).unref();
      },
    });
    return respond(stream, 200, eventHeaders(context));
  });
}

interface Feed {
  readonly withBodies: boolean;
  readonly stallMs: number;
  readonly isWelcome: () => boolean;
  /** Calls `check` when the client may have lost its rights. */
  readonly onRightsChanged: (check: () => void) => () => void;
  /** The stream was ended because the client did not read. */
  readonly onStalled: (reason: string) => void;
}

function feed(
  traffic: TrafficLog,
  { withBodies, stallMs, isWelcome, onRightsChanged, onStalled }: Feed,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let dropped = 0;
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let sent = 0;
        const waiting = () => CAPACITY - (controller.desiredSize ?? 0);
        const send = (text: string) => {
          sent += 1;
          controller.enqueue(encoder.encode(text));
        };
        const reported = (event: string, data: object) => send(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        const unsubscribe = traffic.listen(withBodies, (event) => {
          if (waiting() >= CAPACITY - 1) {
            dropped += 1;
            return;
          }
          if (dropped > 0) reported('warning', { dropped });
          dropped = 0;
          reported('api', event);
        });

        const end = (reason: string) => {
          stop();
          reported('stream_closed', { reason, dropped });
          controller.close();
        };
        const unwatch = onRightsChanged(() => {
          if (!isWelcome()) end('you may no longer see this stream');
        });

        let readBefore = 0;
        let stalledMs = 0;
        const tickMs = Math.min(KEEP_ALIVE_MS, stallMs);
        const keepAlive = setInterval(() => {
          const read = sent - waiting();
          stalledMs = waiting() > 0 && read === readBefore ? stalledMs + tickMs : 0;
          readBefore = read;
          if (stalledMs >= stallMs) {
            const reason = `nothing was read for ${Math.round(stalledMs / 1000)} s`;
            end(reason);
            onStalled(reason);
          } else if (waiting() === 0) send(': keep-alive\n\n');
        }, tickMs);
        stop = () => {
          clearInterval(keepAlive);
          unsubscribe();
          unwatch();
        };
        send(': connected\n\n');
      },
      cancel: () => stop(),
    },
    new CountQueuingStrategy({ highWaterMark: CAPACITY }),
  );
}
