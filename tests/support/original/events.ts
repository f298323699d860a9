import type { ServerResponse } from 'node:http';

/** The event types of Torc's own server. */
const ORIGINAL_EVENTS: ReadonlySet<string> = new Set([
  'compute_node_started',
  'compute_node_stopped',
  'scheduler_node_created',
  'job_started',
  'job_completed',
  'job_failed',
  'job_terminated',
  'job_pending_failed',
  'workflow_started',
  'workflow_reinitialized',
  'task_completed',
]);

/**
 * Passes an event stream on with Torc's event types only and without ids. `job_canceled` is left out: the original
 * sends it for an end that is reported and not for a canceled workflow, and here the two look alike.
 */
export async function eventsOfOriginal(opened: Response, response: ServerResponse): Promise<void> {
  response.writeHead(opened.status, { 'Content-Type': opened.headers.get('content-type') ?? 'text/plain' });
  response.flushHeaders();
  const reader = (opened.body as ReadableStream<Uint8Array>).getReader();
  response.on('close', () => void reader.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  let left = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) break;
    left += decoder.decode(value, { stream: true });
    const whole = left.split('\n\n');
    left = whole.pop() ?? '';
    for (const event of whole) {
      const type = /^event: (.*)$/m.exec(event)?.[1];
      if (type !== undefined && !ORIGINAL_EVENTS.has(type)) continue;
      const lines = event.split('\n').filter((line) => !line.startsWith('id:'));
      if (lines.length > 0) response.write(`${lines.join('\n')}\n\n`);
    }
  }
  response.end(left);
}
