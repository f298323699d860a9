import type { Digest } from '../../core/notify/digest.ts';
import { bundleOf } from '../../core/notify/bundle.ts';
import { knowsRepeats, type MessageReceiver } from '../../core/notify/receiver.ts';
import { type SendOutcome, pauseBefore } from '../../core/notify/retry.ts';
import type { Message } from '../../cluster/notify/request.ts';
import type { Store } from '../records/store.ts';
import { inDoubt, type MessageRow, type NotifyQueries } from './queries.ts';

/** Sends a message once; never throws. */
export type SendMessage = (
  receiver: MessageReceiver,
  message: Message,
  atMostMs: number | undefined,
  /** Ends an attempt that is under way. */
  signal: AbortSignal,
) => Promise<SendOutcome>;

/** A larger number at once is one message: a person does not read them one by one, and chats refuse them. */
const ONE_BY_ONE = 20;
/** Each is parsed and marked: 10,000 at once would hold the event loop for 300 ms. */
const MOST_BUNDLED = 1_000;

/**
 * Sends the due messages of one receiver after each other. A message is marked on disk before it leaves and when it has arrived, so
 * that a server that was killed knows which one is in doubt.
 */
export function createSender(
  store: Pick<Store, 'turns' | 'now'>,
  queries: NotifyQueries,
  {
    receiver,
    send,
    onNotice,
  }: {
    readonly receiver: MessageReceiver;
    readonly send: SendMessage;
    readonly onNotice: (words: string, facts: Readonly<Record<string, unknown>>) => void;
  },
) {
  const { turns, now } = store;
  const key = `server:${receiver.name}`;
  let running: Promise<void> | undefined;
  let untilMs = Infinity;
  const abort = new AbortController();

  const next = (): MessageRow[] => {
    const rows = queries.due.all({ receiver: key, nowMs: now(), limit: MOST_BUNDLED });
    return rows.length > ONE_BY_ONE ? rows : rows.slice(0, 1);
  };

  const end = (row: MessageRow, outcome: SendOutcome, isFirst: boolean): void => {
    const nowMs = now();
    const { id } = row;
    if (outcome.kind === 'sent')
      return void queries.end.run({ id, state: isFirst ? 'sent' : 'covered', nowMs, problem: null });
    const pauseMs = pauseBefore(row.attempts + 1, nowMs - row.due_at_ms, outcome);
    if (pauseMs === undefined) queries.end.run({ id, state: 'failed', nowMs, problem: outcome.why });
    else queries.later.run({ id, nextMs: nowMs + pauseMs, problem: outcome.why });
  };

  const sendAll = async (): Promise<void> => {
    for (;;) {
      const leftMs = untilMs - performance.now();
      const rows = leftMs > 0 ? next() : [];
      const [first] = rows;
      if (first === undefined) return;
      await turns.write(() => {
        for (const { id } of rows) queries.begin.run({ id, nowMs: now() });
      });
      const digests = rows.map(({ digest }) => JSON.parse(digest ?? '{}') as Digest);
      const atMostMs = Number.isFinite(leftMs) ? leftMs : undefined;
      const outcome = await send(receiver, { key: first.key, digest: bundleOf(digests) }, atMostMs, abort.signal);
      await turns.write(() => rows.forEach((row, at) => end(row, outcome, at === 0)));
      if (outcome.kind !== 'sent')
        onNotice(outcome.kind === 'never' ? 'A message was refused' : 'A message could not be sent yet', {
          receiver: receiver.name,
          workflow_id: first.workflow_id,
          reason: outcome.why,
        });
      // The others wait as long: they go to the same place.
      if (outcome.kind === 'later') return;
    }
  };

  return {
    key,
    receiver,
    /** Messages that a server which was killed was sending. Within a transaction. */
    takeUp(): void {
      for (const { id, workflow_id: workflowId } of queries.sending.all({ receiver: key })) {
        if (knowsRepeats(receiver)) {
          queries.later.run({ id, nextMs: now(), problem: inDoubt('server', true) });
          continue;
        }
        queries.end.run({ id, state: 'failed', nowMs: now(), problem: inDoubt('server', false) });
        onNotice('It is not known whether a message arrived, and it is not sent again', {
          receiver: receiver.name,
          workflow_id: workflowId,
        });
      }
    },
    /** Sends what is due; resolves when nothing is any more, or the time is over. */
    send(): Promise<void> {
      running ??= sendAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    /** From now on it ends after so many milliseconds. */
    endWithin(ms: number): void {
      untilMs = performance.now() + ms;
      // One that began before knows no such limit, and its socket would keep the server from ending.
      setTimeout(() => abort.abort(), ms).unref();
    },
    /** When something may be due next. */
    nextAtMs: (): number | undefined => queries.nextAt.get({ receiver: key })?.at ?? undefined,
  };
}
