import { Refusal } from '../../core/contract/refusals.ts';
import { PLAIN_BYTES } from '../../thread/packed.ts';
import type { HeldReply } from '../written.ts';
import type { ReplyReceiver } from './answers.ts';

/**
 * The memory for long replies: all of them share one budget, from the first byte that is made until the client has it.
 *
 * Replies of one kind are made one after another, in the order of their requests, and none is begun while the budget is used
 * up. Short reads wait only for short reads, which have a part of the budget for themselves: a few rows may be large. A reply that
 * was begun continues to its own limit, and beyond it as fast as its client reads. So the budget is exceeded by that part and one
 * reply of each kind at most. A client that leaves ends its reply, whether it waits, is made or is sent; one that reads
 * too slowly loses its connection.
 */
export interface ReplyRoom {
  /** Resolves when the reply may be made. Throws: `REPLIES_WAIT`, `REPLY_UNREAD`. */
  turn(kind: ReplyKind, client: ReplyReceiver): Promise<HeldReply>;
  /** For a reply whose content is there already: it is counted, and never waits. */
  enter(client: ReplyReceiver): HeldReply;
  /** Bytes that are kept now. */
  readonly usedBytes: number;
}

/** Who makes it: each does one at a time. */
export type ReplyKind = 'long read' | 'short read' | 'loop' | 'telemetry';

const MEBIBYTE = 2 ** 20;
const usual = {
  /** With the thread that makes them and the largest bodies beside, a server stays below 500 MiB. */
  allBytes: 64 * MEBIBYTE,
  /** Of one reply: a list of a million rows as it is kept. */
  oneBytes: 40 * MEBIBYTE,
  /** Shorter than the patience of clients, which repeat the request. */
  patienceMs: 60_000,
  /** A client must read so much in this time: a tenth of a bad connection. */
  dueBytes: MEBIBYTE,
  dueMs: 10_000,
};
/** Looks are counted instead of time: while the server itself stood still, no client could read. */
const LOOK_MS = 500;
const LOOKS = 20;
/** When those who were refused may ask again: until then clients that do not read have lost their connections. */
const RETRY_SECONDS = 10;
/** While less of the room is used, replies are not packed: a list of 10,000 jobs takes a third less processor time. */
const PLAIN_SHARE = 1 / 2;
/** What short reads may keep while others use up the room: pages of 100 jobs for a hundred clients. */
const SHORT_SHARE = 1 / 4;

interface Waiting {
  readonly kind: ReplyKind;
  readonly client: ReplyReceiver;
  readonly sinceMs: number;
  readonly begin: () => void;
  readonly refuse: (refusal: Refusal) => void;
}

export type OnUnread = (reason: string, facts: Readonly<Record<string, unknown>>) => void;

export function createReplyRoom(onUnread: OnUnread = () => {}, limits: Partial<typeof usual> = {}): ReplyRoom {
  const { allBytes, oneBytes, patienceMs, dueBytes, dueMs } = { ...usual, ...limits };
  const waiting = new Set<Waiting>();
  const making = new Set<ReplyKind>();
  /** Looks at the replies that are sent. */
  const looks = new Set<() => void>();
  let usedBytes = 0;
  /** Those of short reads. */
  let shortBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  // A page of few rows waits for no list of many.
  const hasRoom = (kind: ReplyKind) =>
    usedBytes < allBytes || (kind === 'short read' && shortBytes < allBytes * SHORT_SHARE);
  const mayBegin = (kind: ReplyKind) => !making.has(kind) && hasRoom(kind);
  const admit = () => {
    for (const each of waiting) if (mayBegin(each.kind)) each.begin();
  };
  const look = () => {
    const nowMs = performance.now();
    for (const { client, sinceMs, refuse } of waiting) {
      const waitedMs = nowMs - sinceMs;
      if (client.isGone()) refuse(left());
      else if (waitedMs > patienceMs) refuse(waitedTooLong(waitedMs));
    }
    for (const each of looks) each();
    if (waiting.size + looks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const watch = () => void (timer ??= setInterval(look, Math.min(LOOK_MS, patienceMs, dueMs / LOOKS)).unref());

  const hold = (client: ReplyReceiver, kind?: ReplyKind): HeldReply => {
    let bytes = 0;
    const keep = (more: number) => {
      bytes += more;
      usedBytes += more;
      if (kind === 'short read') shortBytes += more;
    };
    let textBytes = 0;
    let isMade = false;
    let isOver = false;
    let due: { looks: number; readonly textBytes: number } | undefined;
    const dueSoon = () => ({ looks: LOOKS, textBytes: textBytes + dueBytes });
    const whenMade: (() => void)[] = [];
    const whenOver: (() => void)[] = [];
    const look = () => {
      if (client.isGone()) return end();
      if (due === undefined || (bytes > 0 && --due.looks > 0)) return;
      // While nothing is kept, the client waits for us.
      if (bytes > 0 && textBytes < due.textBytes) {
        onUnread(`less than ${dueBytes} bytes of it were read in ${dueMs / 1000} s`, {
          ...client.facts(),
          read_bytes: textBytes,
        });
        end();
        client.cut();
      } else due = dueSoon();
    };
    const made = () => {
      if (isMade) return;
      isMade = true;
      for (const act of whenMade) act();
      if (kind !== undefined) making.delete(kind);
    };
    const end = () => {
      if (isOver) return;
      isOver = true;
      keep(-bytes);
      looks.delete(look);
      for (const act of whenOver) act();
      made();
      admit();
    };
    looks.add(look);
    watch();
    client.whenGone(end);
    return {
      plainBytes: Math.max(PLAIN_BYTES, allBytes * PLAIN_SHARE - usedBytes),
      add(more) {
        if (!isOver) keep(more);
      },
      sent(some, ofText) {
        if (isOver) return;
        textBytes += ofText;
        keep(-some);
        admit();
      },
      get isFull() {
        return bytes >= oneBytes;
      },
      get isOver() {
        return isOver;
      },
      made() {
        made();
        admit();
      },
      begin() {
        due = dueSoon();
      },
      end,
      whenMade: (act) => void (isMade ? act() : whenMade.push(act)),
      whenOver: (act) => void (isOver ? act() : whenOver.push(act)),
    };
  };
  const begun = (kind: ReplyKind, client: ReplyReceiver): HeldReply => {
    making.add(kind);
    return hold(client, kind);
  };

  return {
    get usedBytes() {
      return usedBytes;
    },
    enter: (client) => hold(client),
    turn(kind, client) {
      if (mayBegin(kind)) return Promise.resolve(begun(kind, client));
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          kind,
          client,
          sinceMs: performance.now(),
          begin() {
            waiting.delete(entry);
            resolve(begun(kind, client));
          },
          refuse(refusal) {
            waiting.delete(entry);
            reject(refusal);
          },
        };
        waiting.add(entry);
        watch();
        client.whenGone(() => entry.refuse(left()));
      });
    },
  };
}

/** No client reads this reply. */
export const left = () => new Refusal('REPLY_UNREAD', 'the client left before its reply was made');

const waitedTooLong = (waitedMs: number) =>
  new Refusal(
    'REPLIES_WAIT',
    `this reply could not be made in ${(waitedMs / 1000).toFixed(0)} s: other long replies were made or not yet read`,
    { retry_after_seconds: RETRY_SECONDS },
  );
