import type { Task } from '../core/contract/task.ts';
import { type Client, queryOf } from './client.ts';
import { Unreachable } from './errors.ts';
import { after, repeatEvery } from './long-timers.ts';
import { followEvents, type OpenStream } from './event-stream.ts';

export interface WaitOptions {
  /** Timeout in seconds; no timeout by default. */
  readonly timeoutSeconds?: number | undefined;
  /** Polling interval in seconds, for event streams that deliver nothing, as behind some proxies. */
  readonly fallbackSeconds?: number | undefined;
}

const FALLBACK_SECONDS = 10;
/** How long a missing server is retried: a restart takes a few seconds. */
const PATIENCE_MS = 60_000;

/**
 * Waits until a task has ended, and returns it; it is still `queued` or `running` if the timeout came first.
 *
 * It opens the event stream before it reads the task again, so an end between the two is not missed, and an end before
 * the first check ends the wait at once. `openEvents` opens the event stream at a path.
 *
 * Throws: refusals of the service (the task was deleted with its workflow), and `Unreachable` if the server stays away.
 */
export async function waitForTask(
  client: Client,
  openEvents: (path: string) => OpenStream,
  taskId: number,
  { timeoutSeconds, fallbackSeconds = FALLBACK_SECONDS }: WaitOptions = {},
): Promise<Task> {
  let task = await client.getTask({ params: { id: taskId } });
  if (hasEnded(task)) return task;

  const over = new AbortController();
  let failure: unknown;
  let answeredMs = performance.now();
  const look = async () => {
    try {
      task = await client.getTask({ params: { id: taskId } });
      answeredMs = performance.now();
      if (hasEnded(task)) over.abort();
    } catch (error) {
      if (error instanceof Unreachable && performance.now() - answeredMs < PATIENCE_MS) return;
      failure = error;
      over.abort();
    }
  };

  const looks = repeatEvery(fallbackSeconds * 1000, () => void look());
  const end = timeoutSeconds === undefined ? undefined : after(timeoutSeconds * 1000, () => over.abort());
  try {
    const events = followEvents({
      open: openEvents(`/workflows/${task.workflow_id}/events/stream${queryOf({ types: 'task_completed' })}`),
      signal: over.signal,
      wait: (ms) => pause(ms, over.signal),
      onConnected: () => void look(),
      onLost: () => void look(),
    });
    for await (const { event } of events) if (event.event_type === 'task_completed') await look();
  } finally {
    looks.cancel();
    end?.cancel();
  }
  if (failure !== undefined) throw failure as Error;
  return task;
}

const hasEnded = ({ status }: Task) => status === 'succeeded' || status === 'failed';

/** Resolves after this many milliseconds, or when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = after(ms, resolve);
    signal.addEventListener(
      'abort',
      () => {
        timer.cancel();
        resolve();
      },
      { once: true },
    );
  });
}
