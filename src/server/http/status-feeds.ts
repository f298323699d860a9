import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { KEEP_ALIVE_MS, STALL_MS, type StreamOptions, type Viewing } from './stream.ts';
import { createUnread } from './unread.ts';

/**
 * The status of workflows for viewers: each gets it at once, and again after each change.
 *
 * All viewers of a workflow share one timer, one status and one text, so that a hundred pages cost little more than one. A viewer
 * who reads slowly gets the newest status when he reads again, and none of those between: at most one waits for him.
 */
export interface StatusViewing extends Viewing {
  readonly workflowId: number;
}

interface Options extends StreamOptions {
  readonly statusOf: (workflowId: number) => Promise<WorkflowStatus>;
  /** Calls `stir` after each change of a workflow. */
  readonly onChange: (workflowId: number, stir: () => void) => () => void;
  /** Milliseconds; a test replaces it. */
  readonly clock?: () => number;
}

/** Four times a second: more often a person sees no difference. */
const LEAST_MS = 250;
/** A status is made again only after this many times the time that it took: at most 5 % of a core. */
const TIMES = 20;
/** The same for what a message costs for each viewer, 30 µs: 100 viewers get four messages a second, and 1,000 less than two. */
const PAUSE_PER_VIEWER_MS = 0.6;
const LONGEST_MS = 10_000;

interface Viewer {
  show(status: Uint8Array): void;
  look(): void;
  end(): void;
}

interface Feed {
  join(viewer: Viewer): () => void;
}

const encoder = new TextEncoder();
const KEEP_ALIVE = encoder.encode(': keep-alive\n\n');

export function createStatusFeeds({
  statusOf,
  onChange,
  onDropped,
  stallMs = STALL_MS,
  clock = () => performance.now(),
}: Options) {
  const feeds = new Map<number, Feed>();
  // A status is made then without a change, too: runners come to the end of their time.
  const tickMs = Math.min(KEEP_ALIVE_MS, stallMs);

  const open = (workflowId: number): Feed => {
    const viewers = new Set<Viewer>();
    let text = '';
    let latest: Uint8Array | undefined;
    let [isStale, isMaking, nextMs] = [false, false, 0];
    let timer: NodeJS.Timeout | undefined;
    const round = async () => {
      timer = undefined;
      [isStale, isMaking] = [false, true];
      const startedMs = clock();
      try {
        const made = `event: status\ndata: ${JSON.stringify(await statusOf(workflowId))}\n\n`;
        if (made !== text) {
          text = made;
          latest = encoder.encode(made);
          for (const viewer of viewers) viewer.show(latest);
        }
      } catch {
        // It was deleted, for instance: the reply to the next request says what is the matter.
        for (const viewer of viewers) viewer.end();
      }
      isMaking = false;
      const tookMs = clock() - startedMs;
      const restMs = Math.min(LONGEST_MS, TIMES * tookMs + PAUSE_PER_VIEWER_MS * viewers.size);
      nextMs = startedMs + Math.max(LEAST_MS, tookMs + restMs);
      if (isStale) plan();
    };
    const plan = () => {
      if (timer !== undefined || isMaking || viewers.size === 0) return;
      timer = setTimeout(() => void round(), Math.max(0, nextMs - clock()));
    };
    const stir = () => {
      isStale = true;
      plan();
    };
    const unsubscribe = onChange(workflowId, stir);
    const ticks = setInterval(() => {
      stir();
      for (const viewer of viewers) viewer.look();
    }, tickMs);
    return {
      join(viewer) {
        viewers.add(viewer);
        if (latest !== undefined) viewer.show(latest);
        stir();
        return () => {
          viewers.delete(viewer);
          if (viewers.size > 0) return;
          clearTimeout(timer);
          clearInterval(ticks);
          unsubscribe();
          feeds.delete(workflowId);
        };
      },
    };
  };

  /** The stream of one viewer. */
  return ({ workflowId, isWelcome, onRightsChanged, cut }: StatusViewing): ReadableStream<Uint8Array> => {
    let stream: ReadableStreamDefaultController<Uint8Array>;
    let pending: Uint8Array | undefined;
    let sent = 0;
    let isOver = false;
    const unread = createUnread(tickMs, stallMs);
    const waiting = () => 1 - (stream.desiredSize ?? 1);
    const send = (bytes: Uint8Array) => {
      sent += 1;
      stream.enqueue(bytes);
    };
    const sendPending = () => {
      if (pending === undefined || waiting() > 0) return;
      const status = pending;
      // First, because a reader who waits takes it at once and calls this again.
      pending = undefined;
      send(status);
    };
    const leave = () => {
      if (isOver) return false;
      isOver = true;
      quit();
      unwatch();
      return true;
    };
    const end = () => {
      if (leave()) stream.close();
    };
    const checkRights = () => {
      if (!isOver && !isWelcome()) end();
    };
    let [quit, unwatch] = [() => {}, () => {}];
    const viewer: Viewer = {
      show(status) {
        pending = status;
        sendPending();
      },
      look() {
        checkRights();
        if (isOver) return;
        const reason = unread({ read: sent - waiting(), waiting: waiting() });
        if (reason !== undefined) {
          onDropped?.(reason, { workflow_id: workflowId });
          end();
          cut();
        } else if (waiting() === 0) send(KEEP_ALIVE);
      },
      end,
    };
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream = controller;
          // The client sees at once that it is connected.
          send(encoder.encode(': connected\n\n'));
          const feed = feeds.get(workflowId) ?? open(workflowId);
          feeds.set(workflowId, feed);
          quit = feed.join(viewer);
          unwatch = onRightsChanged(checkRights);
        },
        pull: sendPending,
        cancel: () => void leave(),
      },
      new CountQueuingStrategy({ highWaterMark: 1 }),
    );
  };
}
