import type { Hono } from 'hono';
import { type Input, routes } from '../../core/contract/routes.ts';
import type { TrafficLog } from '../admin/traffic.ts';
import type { Permissions } from '../store/caller.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import { headersFor } from './headers.ts';

/** Events that may wait for a client; later ones are counted and reported as one warning. */
const CAPACITY = 256;
const KEEP_ALIVE_MS = 15_000;

/** The stream of requests that the server answers, as Server-Sent Events. */
export function serveApiEvents(app: Hono<Answers>, traffic: TrafficLog, permissions: Permissions): void {
  const { path, access } = routes.streamApiEvents;
  app.get(path, (context) => {
    permissions.check(access, { params: {}, query: {}, body: {} }, callerOf(context));
    const { query } = checkedHead(routes.streamApiEvents, context) as Input<'streamApiEvents'>;
    const withBodies = query.include_bodies ?? false;
    return context.body(feed(traffic, withBodies), 200, {
      ...headersFor(context, 'text/event-stream'),
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
  });
}

function feed(traffic: TrafficLog, withBodies: boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let dropped = 0;
  let stop = () => {};
  const told = (event: string, data: object) => encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const unsubscribe = traffic.listen(withBodies, (event) => {
          if ((controller.desiredSize ?? 0) <= 1) {
            dropped += 1;
            return;
          }
          if (dropped > 0) controller.enqueue(told('warning', { dropped }));
          dropped = 0;
          controller.enqueue(told('api', event));
        });
        const keepAlive = setInterval(() => controller.enqueue(encoder.encode(': keep-alive\n\n')), KEEP_ALIVE_MS);
        stop = () => {
          clearInterval(keepAlive);
          unsubscribe();
        };
        controller.enqueue(encoder.encode(': connected\n\n'));
      },
      cancel: () => stop(),
    },
    new CountQueuingStrategy({ highWaterMark: CAPACITY }),
  );
}
