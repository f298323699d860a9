import type { Client } from '../client/client.ts';
import { ServiceError, Unreachable } from '../client/errors.ts';
import type { ExchangeReply, Want } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { Crew } from './crew.ts';
import type { Log } from './log.ts';
import type { Outbox } from './outbox.ts';
import { aheadOf, createRate, nextExchange } from './pace.ts';

/** Why a conversation ended. */
export type Over =
  | { readonly kind: 'complete' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'superseded'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

export interface ConverseOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly nodeId: number;
  readonly crew: Crew;
  readonly outbox: Outbox;
  readonly log: Log;
  /** What the runner has room for: `limit` jobs now and `prefetch` ahead; undefined when it wants none. */
  readonly want: (prefetch: number) => Want | undefined;
  /** How many jobs can run at once at the moment. */
  readonly slots: () => number;
  /** How long the server may be away before the conversation is over. */
  readonly patienceMs: number;
  /** Goes on when the workflow is complete: somebody may add to it. */
  readonly staysWhenComplete: boolean;
  readonly onReply: (reply: ExchangeReply) => void;
  readonly onOver: (over: Over) => void;
}

/**
 * The runner's side of the exchange: at most one is under way, and `pace.ts` says when the next one is due.
 *
 * A turn that got no answer is told again, with the list of everything that is held, so that jobs whose handing out was
 * lost with the answer are handed out again.
 */
export interface Conversation {
  /** Something may have become ready: by a change that the server told of, unless its last answer knew of that already. */
  hope(changeId?: number): void;
  ended(count: number): void;
  /** Looks whether an exchange is due. */
  consider(): void;
  /** Tells everything that is left; false when the server could not be reached. */
  settle(): Promise<boolean>;
  /** When the last job was handed out or ended, on the monotonic clock. */
  readonly lastProgress: number;
  readonly rate: number;
  readonly counts: JobStatusCounts | undefined;
  close(): void;
}

/** Pauses between attempts to reach a server that does not answer. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 5_000;
/** Jobs ahead that have waited so long for a slot are given back: another runner may have one. */
const WAITED_TOO_LONG_MS = 1_000;

export function createConversation(options: ConverseOptions): Conversation {
  const {
    client,
    workflowId,
    runId,
    nodeId,
    crew,
    outbox,
    log,
    want,
    slots,
    patienceMs,
    staysWhenComplete,
    onReply,
    onOver,
  } = options;
  const rate = createRate();
  let hopeful = true;
  /** The last change that the server told of, and the last that an answer took account of. */
  let toldId = 0;
  let knownId = 0;
  let inFlight: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let lostAnswer = false;
  let awaySince: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isOver = false;
  let lastProgress = performance.now();
  let counts: JobStatusCounts | undefined;

  const over = (reason: Over) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    onOver(reason);
  };

  const speak = async (): Promise<void> => {
    crew.giveBackOlderThan(WAITED_TOO_LONG_MS);
    const news = outbox.take();
    const held = lostAnswer ? crew.held() : undefined;
    const ahead = Math.max(0, aheadOf(rate.perSecond(performance.now()), slots()) - crew.queued);
    hopeful = false;
    const body = { run_id: runId, compute_node_id: nodeId, ...withoutEmpty(news), held, want: want(ahead) };
    let reply: ExchangeReply;
    try {
      reply = await client.exchange({ params: { id: workflowId }, body });
    } catch (error) {
      outbox.putBack(news);
      failed(error);
      return;
    }
    if (awaySince !== undefined)
      log.write('warn', 'Server answers again', { away_s: Math.round((performance.now() - awaySince) / 1000) });
    lostAnswer = false;
    awaySince = undefined;
    retryMs = FIRST_RETRY_MS;
    counts = reply.jobs_by_status;
    knownId = reply.change_id;
    // Told while the answer was under way, and newer than it.
    if (toldId > knownId) hopeful = true;
    if (reply.jobs.length > 0) lastProgress = performance.now();
    for (const error of reply.errors)
      log.write('warn', 'Server refused a report', { job_id: error.job_id, message: error.message });
    crew.take(reply.jobs);
    onReply(reply);
    if (reply.is_canceled) over({ kind: 'canceled' });
    else if (reply.is_complete && !staysWhenComplete) over({ kind: 'complete' });
  };

  /** Away means: no answer, or one that says that the server is ill. Anything else it means. */
  const failed = (error: unknown) => {
    lostAnswer = true;
    hopeful = true;
    if (!(error instanceof Unreachable) && !(error instanceof ServiceError && error.status >= 500)) {
      over({ kind: 'superseded', reason: (error as Error).message });
      return;
    }
    const nowAt = performance.now();
    if (awaySince === undefined) log.write('warn', 'Server does not answer; jobs go on', { reason: error.message });
    awaySince ??= nowAt;
    if (nowAt - awaySince > patienceMs) {
      over({ kind: 'unreachable', reason: error.message });
      return;
    }
    schedule(retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  };

  const schedule = (delayMs: number) => {
    const at = performance.now() + delayMs;
    if (at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(begin, delayMs);
  };

  const begin = () => {
    dueAt = Infinity;
    clearTimeout(timer);
    if (inFlight !== undefined) return;
    inFlight = speak().finally(() => {
      inFlight = undefined;
      consider();
    });
  };

  const consider = () => {
    if (isOver || inFlight !== undefined || awaySince !== undefined) return;
    const situation = {
      queued: crew.queued,
      hasRoom: crew.hasRoom,
      slots: slots(),
      hasNews: !outbox.isEmpty,
      hasHope: hopeful,
    };
    const delayMs = nextExchange(situation);
    if (delayMs === undefined) return;
    if (delayMs === 0) begin();
    else schedule(delayMs);
  };

  return {
    hope(changeId = Infinity) {
      if (changeId <= knownId) return;
      // An answer that is under way may know of it.
      if (Number.isFinite(changeId) && inFlight !== undefined) {
        toldId = changeId;
        return;
      }
      hopeful = true;
      consider();
    },
    ended(count) {
      hopeful = true;
      lastProgress = performance.now();
      rate.ended(count, lastProgress);
      consider();
    },
    consider,
    async settle() {
      isOver = true;
      clearTimeout(timer);
      await inFlight;
      for (let tries = 0; !outbox.isEmpty; tries += 1) {
        const news = outbox.take();
        try {
          const reply = await client.exchange({
            params: { id: workflowId },
            body: { run_id: runId, compute_node_id: nodeId, ...withoutEmpty(news) },
          });
          counts = reply.jobs_by_status;
        } catch (error) {
          outbox.putBack(news);
          if (error instanceof ServiceError && error.status < 500) return false;
          if (tries >= LAST_TRIES) return false;
          await new Promise((resolve) => void setTimeout(resolve, FIRST_RETRY_MS * 2 ** tries));
        }
      }
      return true;
    },
    get lastProgress() {
      return lastProgress;
    },
    get rate() {
      return rate.perSecond(performance.now());
    },
    get counts() {
      return counts;
    },
    close: () => clearTimeout(timer),
  };
}

/** Attempts to tell the last news before they are left to the ledger: about six seconds. */
const LAST_TRIES = 6;

function withoutEmpty<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;
}
