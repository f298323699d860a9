import { pause } from '../../../client/long-timers.ts';
import type { ApiEvent } from '../../../core/contract/admin.ts';
import { command } from '../../command/command.ts';
import { integerOption, option } from '../../command/option.ts';
import { localTime } from '../../output/local-time.ts';

/** The report of the stream about requests that did not fit. */
interface Dropped {
  readonly dropped: number;
}

export const adminTailApi = command('admin tail-api', {
  says: 'Print the requests that the server answers, as it answers them, until Ctrl-C.',
  options: [
    option('--include-bodies', 'include the beginning of request and reply bodies'),
    option('--limit <n>', 'end after this many requests', { read: integerOption(1) }),
  ],
  async run(context, _args, options) {
    const { output } = context;
    const { connection } = await context.service();
    const { followEvents, isLostForGood } = await import('../../../client/event-stream.ts');
    const { queryOf } = await import('../../../client/client.ts');
    const abort = new AbortController();
    process.once('SIGINT', () => abort.abort());
    const query = queryOf({ include_bodies: options.includeBodies === true ? true : undefined });
    let wasReached = false;
    const requests = followEvents<ApiEvent | Dropped>({
      open: connection.events(`/admin/api-events/stream${query}`),
      signal: abort.signal,
      wait: pause,
      onConnected() {
        wasReached = true;
        output.notice('Listening to the requests of the server.');
      },
      onLost: (error) => {
        if (isLostForGood(error, wasReached)) throw error;
        output.warn(`the stream of requests was lost (${(error as Error).message}); connecting again`);
      },
    });
    let left = options.limit ?? Infinity;
    for await (const { event } of requests) {
      if ('dropped' in event) {
        output.warn(`${event.dropped} requests arrived too fast to be shown`);
        continue;
      }
      if (output.format === 'json') output.json(event);
      else output.text(requestText(event));
      left -= 1;
      if (left <= 0) break;
    }
    abort.abort();
  },
});

function requestText({ timestamp_ms: at, method, path, query, status, latency_ms: ms, user, ...bodies }: ApiEvent) {
  const target = query === undefined || query === null || query === '' ? path : `${path}?${query}`;
  const shown = (arrow: string, body: ApiEvent['request_body']) =>
    body ? [`  ${arrow} ${body.text}${body.truncated ? ` … (${body.bytes} bytes)` : ''}`] : [];
  return [
    `${localTime(at)} ${status} ${method.padEnd(6)} ${target} ${ms.toFixed(1)} ms ${user}`,
    ...shown('>', bodies.request_body),
    ...shown('<', bodies.response_body),
  ].join('\n');
}
