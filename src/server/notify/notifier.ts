import type { MessageReceiver } from '../../core/notify/receiver.ts';
import { smallest } from '../../core/quantity/extremes.ts';
import type { Store } from '../records/store.ts';
import { createNotifyFacts, type NotifyAsk, type NotifyLook } from './facts.ts';
import { markDue } from './marks.ts';
import { notifyQueries } from './queries.ts';
import { createSender, type SendMessage } from './sender.ts';

export interface NotifierOptions {
  /** Those that this server sends to: none of them needs a program. */
  readonly receivers: readonly MessageReceiver[];
  readonly send: SendMessage;
  readonly onNotice: (words: string, facts: Readonly<Record<string, unknown>>) => void;
  readonly onError: (error: unknown) => void;
  /** A test shortens it. */
  readonly tickMs?: number;
}

/** Of a server that sends no messages itself. */
export const NO_RECEIVERS: Pick<NotifierOptions, 'receivers' | 'send'> = {
  receivers: [],
  send: () => Promise.reject(new Error('no receiver')),
};

/** Of the time for the last messages; the rest is for their marks. */
const SHARE = 0.9;
/** A burst of changes is one look. */
const LOOK_MS = 250;
/** How often runners are looked at that say nothing, or come to the end of their time. */
const TICK_MS = 30_000;
/** A runner that said nothing for so long was reported, or has left. */
const FORGOTTEN_MS = 7 * 86_400_000;
/** Workflows in one transaction of marks. */
const WORKFLOWS = 20;
/** Ids of the change log in one read. */
const CHANGES = 20_000;

/**
 * Messages about workflows. After commits in which something happened it reads the change log from a stored cursor, looks at each
 * workflow that changed, and writes what is due and the cursor in one transaction; then the senders send.
 *
 * Without receivers it only answers commands, and hears nothing.
 */
export function createNotifier(
  store: Store,
  { receivers, send, onNotice, onError, tickMs = TICK_MS }: NotifierOptions,
) {
  const { db, turns, changes, now } = store;
  const queries = notifyQueries(db);
  const heard = new Map<number, number>();
  let listensSinceMs = receivers.length > 0 ? now() : undefined;
  let ask: NotifyAsk | undefined;
  const lastWord = (nodeId: number, startMs: number) =>
    listensSinceMs === undefined ? undefined : (heard.get(nodeId) ?? Math.max(listensSinceMs, startMs));
  const look = createNotifyFacts(store, queries, lastWord);
  const senders = receivers.map((receiver) => createSender(store, queries, { receiver, send, onNotice }));

  const wants = ({ always, users, name }: MessageReceiver, workflowId: number, user: string): boolean =>
    (always && (users.length === 0 || users.includes(user))) ||
    queries.wanted.all({ workflowId }).some(({ receiver }) => receiver === name);

  /** Looks at these workflows, and marks what is due; `cursor` is stored with it. */
  const mark = async (ids: readonly number[], after: number, cursor: number | undefined, areLost = false) => {
    const asked = ask;
    if (asked === undefined) return;
    const countsHours = receivers.some(({ budgetCoreHours }) => budgetCoreHours !== undefined);
    const looks: NotifyLook[] = [];
    const exists = (id: number) => queries.exists.get({ id }) !== undefined;
    for (const id of ids) {
      try {
        looks.push(await look(id, asked, { after, countsHours, areLost }));
      } catch (error) {
        // It was deleted.
        if (exists(id)) throw error;
      }
    }
    await turns.write(() => {
      for (const found of looks) {
        const { id, user } = found.facts.workflow;
        if (!exists(id)) continue;
        for (const { key, receiver } of senders)
          if (wants(receiver, id, user)) markDue(queries, { ...receiver, key }, found, areLost);
      }
      if (cursor !== undefined) queries.setCursor.run({ changeId: cursor });
    });
  };

  /** Looks at all that changed since the cursor. */
  const catchUp = async (areLost = false): Promise<void> => {
    for (;;) {
      const after = queries.cursor.get({})?.change_id ?? changes.lastId;
      const upto = Math.min(changes.lastId, after + CHANGES);
      if (upto <= after) return;
      const ids = queries.changed.all({ after, upto }).map(({ workflow_id: id }) => id);
      for (let at = 0; at < ids.length; at += WORKFLOWS)
        await mark(ids.slice(at, at + WORKFLOWS), after, undefined, areLost);
      await turns.writeSoon(() => queries.setCursor.run({ changeId: upto }));
    }
  };

  let [isClosed, timer, ticks] = [
    false,
    undefined as NodeJS.Timeout | undefined,
    undefined as NodeJS.Timeout | undefined,
  ];
  let [working, isStale] = [undefined as Promise<void> | undefined, false];
  let wake: NodeJS.Timeout | undefined;

  const round = async (): Promise<void> => {
    timer = undefined;
    isStale = false;
    await catchUp();
    const waited = senders.flatMap(({ key }) => queries.waited.all({ receiver: key, nowMs: now() }));
    await mark([...new Set(waited.map(({ workflow_id: id }) => id))], changes.lastId, undefined);
    void Promise.all(senders.map((sender) => sender.send())).then(sleep, onError);
  };
  const plan = (ms: number) => {
    isStale = true;
    if (timer !== undefined || working !== undefined || isClosed) return;
    timer = setTimeout(() => {
      working = round()
        .catch(onError)
        .finally(() => {
          working = undefined;
          if (isStale) plan(LOOK_MS);
        });
    }, ms).unref();
  };
  /** Wakes up for what is due later. */
  const sleep = () => {
    clearTimeout(wake);
    const times = senders.map(({ nextAtMs }) => nextAtMs()).filter((at) => at !== undefined);
    if (times.length === 0 || isClosed) return;
    wake = setTimeout(() => plan(0), Math.max(LOOK_MS, smallest(times) - now())).unref();
  };
  const tick = () => {
    if (working !== undefined || isClosed) return;
    for (const [nodeId, atMs] of heard) if (now() - atMs > FORGOTTEN_MS) heard.delete(nodeId);
    const ids = queries.active.all({}).map(({ workflow_id: id }) => id);
    working = mark(ids, changes.lastId, undefined)
      .catch(onError)
      .finally(() => {
        working = undefined;
        plan(0);
      });
  };

  /** Marks all that happened, and sends it. What was on its way before may have no time limit. */
  const lastRound = async (areLost: boolean): Promise<void> => {
    await working;
    await catchUp(areLost);
    if (areLost) {
      const waiting = senders.flatMap(({ key }) =>
        queries.waited.all({ receiver: key, nowMs: Number.MAX_SAFE_INTEGER }),
      );
      const ids = [...queries.active.all({}), ...waiting].map(({ workflow_id: id }) => id);
      await mark([...new Set(ids)], changes.lastId, undefined, true);
    }
    await Promise.all(senders.map((sender) => sender.send()));
  };

  return {
    queries,
    look,
    receivers,
    connect(given: NotifyAsk) {
      ask = given;
    },
    ask: () => ask as NotifyAsk,
    /** A runner has spoken. */
    heard(nodeId: number): void {
      if (listensSinceMs !== undefined) heard.set(nodeId, now());
    },
    /** A command asks for messages: from now on it is known when runners spoke. */
    listen(): void {
      listensSinceMs ??= now();
    },
    async start(): Promise<void> {
      if (senders.length === 0) {
        // A server with receivers begins with what happens then, not with what happened in between.
        if (queries.cursor.get({}) !== undefined) await turns.write(() => queries.dropCursor.run({}));
        return;
      }
      await turns.write(() => {
        if (queries.cursor.get({}) === undefined) queries.setCursor.run({ changeId: changes.lastId });
        for (const sender of senders) sender.takeUp();
      });
      changes.onPublish(() => plan(LOOK_MS));
      ticks = setInterval(tick, tickMs).unref();
      plan(0);
    },
    /**
     * Sends what is due within so many milliseconds, and leaves the rest for the next start. `areLost`: runners that count as active
     * have ended with the command that this server belonged to.
     */
    async close(atMostMs: number, areLost: boolean): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(wake);
      clearInterval(ticks);
      if (senders.length === 0) return;
      // What is known of the last attempt is still written.
      for (const sender of senders) sender.endWithin(atMostMs * SHARE);
      const late = new Promise<void>((resolve) => void setTimeout(resolve, atMostMs).unref());
      await Promise.race([lastRound(areLost), late]);
    },
  };
}

export type Notifier = ReturnType<typeof createNotifier>;
