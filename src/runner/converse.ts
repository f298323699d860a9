import type { ExchangeReply, ExchangeRequest } from '../core/contract/exchange.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import type { Conversation, ConverseOptions, Over } from './conversation.ts';
import { behind, type Meaning, meaningOf } from './meaning.ts';
import type { News } from './outbox.ts';
import { aheadOf, createRate, nextExchange } from './pace.ts';
import { tellTheRest } from './settle.ts';

/** Jobs ahead that have waited so long for a slot are given back: another runner may have one. */
const WAITED_TOO_LONG_MS = 1_000;

/** After a break the server is looked for so much later, unless the line stands again before. */
const BROKEN_LINE_MS = 1_000;

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
  /** The next turn must take place, though there may be neither news nor room for a job. */
  let mustAsk = false;
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
    if (news !== undefined) {
      hopeful = false;
      mustAsk = false;
    }
    isSilent = false;
    const silence = setTimeout(() => {
      isSilent = true;
      away({ kind: 'away', reason: `no answer for ${silentMs / 1000} s` });
    }, silentMs);
    let reply: ExchangeReply;
    try {
      reply = await client.exchange({ params: { id: workflowId }, body: turnOf(news) });
    } catch (error) {
      failed(error, news);
      return;
    } finally {
      clearTimeout(silence);
    }
    heard(reply, news);
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
      hasNews: mustAsk || !outbox.isEmpty,
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
    ask(changeId = Infinity) {
      if (changeId <= knownId) return;
      mustAsk = true;
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
      if (!isOver && !outage.isAway) schedule(BROKEN_LINE_MS);
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
