import { after, type Timer } from '../client/long-timers.ts';
import { followEvents, type OpenStream } from '../client/event-stream.ts';

export interface WakeOptions {
  readonly open: OpenStream;
  /** Events of other types are passed over: Torc's own server sends all, whatever types are asked for. */
  readonly types: readonly string[];
  /** Events that follow each other more quickly are taken together; 0 for each at once. */
  readonly atMostEveryMs: number;
  /** Something happened that this runner waits for, by its id in the log of changes; or may have while it could not hear. */
  readonly onWake: (changeId?: number) => void;
  /** The workflow as a whole changed: it was canceled, say. It concerns a runner that has no room for a job, too. */
  readonly onWorkflow: (changeId?: number) => void;
  /** The stream stands, for the first time or again. */
  readonly onConnected: () => void;
  /** It stood, and broke. */
  readonly onLost: () => void;
}

/** Wakes the runner by what the server's event stream says. `isConnected` tells whether it can be relied on. */
export interface Wake {
  readonly isConnected: boolean;
  /** Resolves when the stream stands, or after so many milliseconds. */
  ready(atMostMs: number): Promise<void>;
  close(): void;
}

/** What makes work for a runner, or ends it. */
export const WAKING_EVENTS = [
  'jobs_ready',
  'jobs_returned',
  'workflow_canceled',
  'workflow_completed',
  'workflow_started',
  'workflow_reinitialized',
] as const;

/** The same of Torc's own server, which tells of no job that becomes ready: after each end one may. */
export const ORIGINAL_WAKING_EVENTS = [
  'job_completed',
  'job_failed',
  'job_canceled',
  'job_terminated',
  'workflow_started',
  'workflow_reinitialized',
] as const;

export function createWake(options: WakeOptions): Wake {
  const { open, types, atMostEveryMs, onWake, onWorkflow, onConnected, onLost } = options;
  const abort = new AbortController();
  let isConnected = false;
  let told: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    told = resolve;
  });

  const listen = async () => {
    const events = followEvents({
      open,
      signal: abort.signal,
      wait: (ms) => new Promise((resolve) => void after(ms, resolve).unref()),
      onConnected: () => {
        isConnected = true;
        told();
        onConnected();
      },
      onLost: () => {
        if (!isConnected) return;
        isConnected = false;
        onLost();
      },
    });
    for await (const { id, event } of events) {
      if (!types.includes(event.event_type)) continue;
      const changeId = id === undefined ? undefined : Number.parseInt(id, 10);
      if (event.event_type.startsWith('workflow_')) onWorkflow(changeId);
      else if (atMostEveryMs === 0) onWake(changeId);
      else wakeSoon();
    }
  };
  let pause: Timer | undefined;
  const wakeSoon = () => {
    pause ??= after(atMostEveryMs, () => {
      pause = undefined;
      onWake();
    });
  };
  void listen();

  return {
    get isConnected() {
      return isConnected;
    },
    ready: (atMostMs) =>
      Promise.race([connected, new Promise<void>((resolve) => void after(atMostMs, resolve).unref())]),
    close() {
      abort.abort();
      pause?.cancel();
    },
  };
}
