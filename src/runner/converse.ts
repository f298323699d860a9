import type { Client } from '../client/client.ts';
import type { ExchangeReply, ExchangeRequest, Want } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { Crew } from './crew.ts';
import type { Log } from './log.ts';
import { behind, type Meaning, meaningOf } from './meaning.ts';
import type { Outage } from './outage.ts';
import type { News, Outbox } from './outbox.ts';
import { aheadOf, createRate, nextExchange } from './pace.ts';
import { tellTheRest } from './settle.ts';

/** Why a conversation ended. */
export type Over =
  | { readonly kind: 'complete' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'superseded'; readonly reason: string }
  /** The server is away, and nothing runs any more. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** It answers out of an older database, and nothing runs any more. */
  | { readonly kind: 'behind'; readonly reason: string };

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
  readonly outage: Outage;
  /** A server that has not answered for so long counts as away, though its answer is still waited for. */
  readonly silentMs: number;
  /** Goes on when the workflow is complete: somebody may add to it. */
  readonly staysWhenComplete: boolean;
  readonly onReply: (reply: ExchangeReply) => void;
  readonly onOver: (over: Over) => void;
}

/**
 * The runner's side of the exchange: at most one is under way, and `pace.ts` says when the next one is due.
 *
 * A turn that got no answer is told again, with the list of everything that is held, so that jobs whose handing out was
 * lost with the answer are handed out again. Before that, as after every break in the line, a turn that tells and wants
 * nothing finds out whether the database is still the one that it was: an older one must not swallow what the runner
 * tells, nor hand out what it holds.
 */
export interface Conversation {
  /** Something may have become ready: by a change that the server told of, unless its last answer knew of that already. */
  hope(changeId?: number): void;
  ended(count: number): void;
  /** The line broke: the server may be another one from here on. */
  lineBroke(): void;
  /** The line stands again, so somebody is there. */
  lineStands(): void;
  /** Ends it without waiting for the server any longer. */
  giveUp(): void;
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
    outage,
    silentMs,
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
  let inDoubt = false;
  let isSilent = false;
  let isOver = false;
  let lastProgress = performance.now();
  let counts: JobStatusCounts | undefined;

  const over = (reason: Over) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    outage.close();
    onOver(reason);
  };

  const giveUp = () => {
    const { kind, reason } = outage.meaning;
    over({ kind: kind === 'behind' ? 'behind' : 'unreachable', reason });
  };

  const speak = async (): Promise<void> => {
    const isProbe = outage.isAway || inDoubt;
    if (!isProbe) crew.giveBackOlderThan(WAITED_TOO_LONG_MS);
    const news = isProbe ? undefined : outbox.take();
    if (news !== undefined) hopeful = false;
    isSilent = false;
    const silence = setTimeout(() => {
      isSilent = true;
      away({ kind: 'away', reason: `no answer for ${silentMs / 1000} s` });
    }, silentMs);
    try {
      const reply = await client.exchange({ params: { id: workflowId }, body: turnOf(news) });
      clearTimeout(silence);
      heard(reply, news);
    } catch (error) {
      clearTimeout(silence);
      failed(error, news);
    }
  };

  const turnOf = (news: News | undefined): ExchangeRequest => {
    const who = { run_id: runId, compute_node_id: nodeId };
    if (news === undefined) return who;
    const ahead = Math.max(0, aheadOf(rate.perSecond(performance.now()), slots()) - crew.queued);
    return { ...who, ...withoutEmpty(news), held: lostAnswer ? crew.held() : undefined, want: want(ahead) };
  };

  const heard = (reply: ExchangeReply, news: News | undefined) => {
    if (typeof reply.change_id !== 'number') {
      lost({ kind: 'away', reason: 'the answer is none of this service' }, news);
      return;
    }
    if (reply.change_id < knownId) {
      lost(behind(reply.change_id, { runId, changeId: knownId }), news);
      return;
    }
    inDoubt = false;
    outage.answered();
    counts = reply.jobs_by_status;
    if (news === undefined) {
      hopeful = true;
    } else {
      lostAnswer = false;
      outbox.acknowledged();
      knownId = reply.change_id;
      // Told while the answer was under way, and newer than it.
      if (toldId > knownId) hopeful = true;
      if (reply.jobs.length > 0) lastProgress = performance.now();
      for (const error of reply.errors)
        log.write('warn', 'Server refused a report', { job_id: error.job_id, message: error.message });
      crew.take(reply.jobs);
      onReply(reply);
    }
    if (reply.is_canceled) over({ kind: 'canceled' });
    else if (reply.is_complete && !staysWhenComplete) over({ kind: 'complete' });
  };

  const failed = (error: unknown, news: News | undefined) => {
    const meaning = meaningOf(error, { runId, changeId: knownId });
    if (meaning.kind !== 'superseded') {
      lost(meaning, news);
      return;
    }
    if (news !== undefined) outbox.putBack(news);
    over({ kind: 'superseded', reason: meaning.reason });
  };

  const lost = (meaning: Meaning, news: News | undefined) => {
    if (news !== undefined) outbox.putBack(news);
    lostAnswer = true;
    hopeful = true;
    away(meaning);
  };

  const away = (meaning: Meaning) => {
    if (isOver) return;
    const nextMs = outage.failed(meaning);
    if (isOver) return;
    if (outage.isOffline && crew.running === 0) giveUp();
    else schedule(nextMs);
  };

  /** Nothing runs any more: if the server does not answer now either, there is nothing left to stay for. */
  const lookOnceMore = () => {
    if (isOver) return;
    if (inFlight === undefined) begin();
    else if (isSilent) giveUp();
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
    if (isOver || inFlight !== undefined || outage.isAway) return;
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
      if (outage.isOffline && crew.running === 0) lookOnceMore();
      else consider();
    },
    lineBroke() {
      inDoubt = true;
    },
    lineStands() {
      hopeful = true;
      if ((outage.isOffline || inDoubt) && !isOver) begin();
      else consider();
    },
    giveUp,
    consider,
    async settle() {
      isOver = true;
      clearTimeout(timer);
      outage.close();
      if (outage.isOffline) return false;
      const exchange = (news: News) =>
        client.exchange({
          params: { id: workflowId },
          body: { run_id: runId, compute_node_id: nodeId, ...withoutEmpty(news) },
        });
      const rest = await tellTheRest({ exchange, outbox, underWay: inFlight, knownId });
      counts = rest.counts ?? counts;
      return rest.isTold;
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

function withoutEmpty<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;
}
