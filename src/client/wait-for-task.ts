import type { Task } from '../core/contract/task.ts';
import { type Client, queryOf } from './client.ts';
import { Unreachable } from './errors.ts';
import { after, every } from './long-timers.ts';
import { followEvents, type OpenStream } from './event-stream.ts';

export interface WaitOptions {
  /** Seconds after which nobody waits any longer; for ever unless given. */
  readonly timeoutSeconds?: number | undefined;
  /** Seconds between looks at the task where the event stream tells nothing, as behind some proxies. */
  readonly fallbackSeconds?: number | undefined;
}

const FALLBACK_SECONDS = 10;
/** How long a server may be away before waiting for it makes no sense: a restart takes a few seconds. */
const PATIENCE_MS = 60_000;

/**
 * Waits until a task has ended, and says how; still `queued` or `running` when the time was up first.
 *
 * It listens to the events of the workflow before it asks for the task again, so an end between the two is not missed,
 * and one that came before the first question ends the wait at once. `openEvents` opens the event stream at a path.
 *
 * Throws: what the service refuses (a task that is gone with its workflow), and `Unreachable` when it stays away.
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

  const looks = every(fallbackSeconds * 1000, () => void look());
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

/** Resolves after so many milliseconds, or when nobody waits any longer. */
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
