import { after, type Timer } from '../../client/long-timers.ts';
import { followEvents, type OpenStream } from '../../client/event-stream.ts';

export interface WakeOptions {
  readonly open: OpenStream;
  /** Events of other types are ignored: Torc's own server sends all types, also those that were not requested. */
  readonly types: readonly string[];
  /** Events that follow each other more quickly cause one call; 0 calls for each event. */
  readonly atMostEveryMs: number;
  /**
   * Something happened that this runner waits for, by its id in the change log; or it may have happened while the
   * connection was lost.
   */
  readonly onWake: (changeId?: number) => void;
  /**
   * The workflow as a whole changed, for instance it was canceled, or jobs that a runner holds were. This concerns a runner without room for a job too.
   */
  readonly onWorkflow: (changeId?: number) => void;
  /** The stream is connected, also after a reconnect. */
  readonly onConnected: () => void;
  /** The connection was lost. */
  readonly onLost: () => void;
}

/** Wakes the runner on events of the server. `isConnected` says whether events can be relied on. */
export interface Wake {
  readonly isConnected: boolean;
  /** Resolves when the stream is connected, or after this many milliseconds. */
  ready(atMostMs: number): Promise<void>;
  close(): void;
}

/** Events that create work for a runner, or end it. */
export const WAKING_EVENTS = [
  'jobs_ready',
  'jobs_returned',
  'attempts_canceled',
  'workflow_canceled',
  'workflow_completed',
  'workflow_started',
  'workflow_reinitialized',
] as const;

/** The same for Torc's own server, which does not report jobs that become ready: after each end a job may be ready. */
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
  let reported: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    reported = resolve;
  });

  const listen = async () => {
    const events = followEvents({
      open,
      signal: abort.signal,
      wait: (ms) => new Promise((resolve) => void after(ms, resolve).unref()),
      onConnected: () => {
        isConnected = true;
        reported();
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
      if (event.event_type.startsWith('workflow_') || event.event_type === 'attempts_canceled') onWorkflow(changeId);
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
