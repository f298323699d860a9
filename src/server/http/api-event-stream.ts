import type { Input } from '../../core/contract/routes.ts';
import type { TrafficLog } from '../admin/traffic.ts';
import { CUT_MS, KEEP_ALIVE_MS, STALL_MS, type StreamOptions, type Viewing } from './stream.ts';
import { createUnread } from './unread.ts';

/** Events that may wait for a client; later ones are counted and reported as one warning. */
const CAPACITY = 256;

/** The stream of requests that the server answers. */
export const createTrafficStreams =
  (traffic: TrafficLog, { path, onDropped, stallMs = STALL_MS }: StreamOptions & { readonly path: string }) =>
  (
    { query: { include_bodies: withBodies = false } }: Input<'streamApiEvents'>,
    { isWelcome, onRightsChanged, cut }: Viewing,
  ): ReadableStream<Uint8Array> => {
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

          const tickMs = Math.min(KEEP_ALIVE_MS, stallMs);
          const unread = createUnread(tickMs, stallMs);
          const keepAlive = setInterval(() => {
            const reason = unread({ read: sent - waiting(), waiting: waiting() });
            if (reason !== undefined) {
              end(reason);
              onDropped?.(reason, { path });
              setTimeout(cut, CUT_MS).unref();
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
  };
