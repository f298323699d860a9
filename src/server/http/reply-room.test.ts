import { afterEach, expect, it, vi } from 'vitest';
import type { HeldReply } from '../written.ts';
import type { ReplyReceiver } from './answers.ts';
import { createReplyRoom, type ReplyKind } from './reply-room.ts';

const limits = { allBytes: 100, oneBytes: 40, patienceMs: 10_000, dueBytes: 5, dueMs: 1_000 };
afterEach(() => void vi.useRealTimers());
const turn = () => new Promise((done) => void setImmediate(done));

function create() {
  const unread: string[] = [];
  const room = createReplyRoom((reason) => void unread.push(reason), limits);
  /** A client, and what became of its reply. */
  const client = (kind: ReplyKind = 'long read') => {
    const whenGone: (() => void)[] = [];
    const known = { isGone: false, isCut: false, reported: '', held: undefined as HeldReply | undefined };
    const at: ReplyReceiver = {
      isGone: () => known.isGone,
      whenGone: (act) => void whenGone.push(act),
      cut: () => (known.isCut = true),
      facts: () => ({}),
    };
    room.turn(kind, at).then(
      (held) => {
        known.held = held;
        known.reported = 'begun';
      },
      ({ code }: { code: string }) => (known.reported = code),
    );
    const leave = () => {
      known.isGone = true;
      for (const act of whenGone) act();
    };
    return Object.assign(known, { leave });
  };
  return { room, client, unread };
}
type Known = ReturnType<ReturnType<typeof create>['client']>;
const heldOf = ({ held }: Known): HeldReply => held as HeldReply;
const reports = (...clients: Known[]) => clients.map(({ reported }) => reported);

it('replies of one kind are made one after another, in the order of their requests, and another kind does not wait for them', async () => {
  const { client } = create();
  const [first, second, third, other] = [client(), client(), client(), client('loop')];
  await turn();
  expect(reports(first, second, third, other)).toEqual(['begun', '', '', 'begun']);
  heldOf(first).made();
  heldOf(first).made();
  await turn();
  expect(reports(second, third)).toEqual(['begun', '']);
});

it('no reply is begun while the room is used up, but for a short one; it is free again when replies were sent', async () => {
  const { client, room } = create();
  const first = client();
  await turn();
  heldOf(first).add(100);
  heldOf(first).made();
  const [second, short] = [client(), client('short read')];
  await turn();
  expect(reports(second, short)).toEqual(['', 'begun']);
  heldOf(first).sent(1, 30);
  await turn();
  expect([room.usedBytes, ...reports(second)]).toEqual([99, 'begun']);
  heldOf(first).end();
  heldOf(first).end();
  heldOf(first).add(7);
  heldOf(second).end();
  expect(room.usedBytes).toBe(0);
});

it('short replies wait for no long ones, but for each other while they keep a quarter of the room and all of it is used', async () => {
  const { client, room } = create();
  const [long, short] = [client(), client('short read')];
  await turn();
  heldOf(long).add(100);
  heldOf(short).add(25);
  heldOf(short).made();
  const second = client('short read');
  await turn();
  expect(reports(second)).toEqual(['']);
  heldOf(short).sent(1, 1);
  await turn();
  expect(reports(second)).toEqual(['begun']);
  heldOf(long).end();
  heldOf(second).add(70);
  heldOf(second).made();
  const third = client('short read');
  await turn();
  expect([...reports(third), room.usedBytes]).toEqual(['begun', 94]);
});

it('a reply is full when as much is kept for it as may be, and not when its client read', async () => {
  const { client } = create();
  const first = client();
  await turn();
  heldOf(first).add(40);
  expect(heldOf(first).isFull).toBe(true);
  heldOf(first).sent(1, 1);
  expect(heldOf(first).isFull).toBe(false);
});

it('a client that leaves while it waits gives its place to the next, and one whose reply is made or sent frees its memory', async () => {
  const { client, room } = create();
  const [first, second, third] = [client(), client(), client()];
  await turn();
  heldOf(first).add(50);
  let ended = 0;
  heldOf(first).whenOver(() => (ended += 1));
  second.leave();
  first.leave();
  // What makes it learns so.
  expect([heldOf(first).isOver, ended, room.usedBytes]).toEqual([true, 1, 0]);
  await turn();
  expect(reports(second, third)).toEqual(['REPLY_UNREAD', 'begun']);
});

it('a reply that waits too long is refused with the time to ask again, and one that waits less is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { client } = create();
  const [, second] = [client(), client()];
  await vi.advanceTimersByTimeAsync(9_000);
  expect(second.reported).toBe('');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(second.reported).toBe('REPLIES_WAIT');
});

it('a client that reads less than it must loses its connection, and one that reads, or waits for the server, does not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { client, room, unread } = create();
  const [slow, brisk, waiting] = [client('long read'), client('loop'), client('telemetry')];
  await vi.advanceTimersByTimeAsync(0);
  for (const each of [slow, brisk]) heldOf(each).add(30);
  for (const each of [slow, brisk, waiting]) heldOf(each).begin();
  for (let tenths = 0; tenths < 25; tenths += 1) {
    await vi.advanceTimersByTimeAsync(100);
    if (tenths % 5 === 0) heldOf(brisk).sent(1, 5);
    if (tenths % 5 === 0) heldOf(slow).sent(1, 1);
  }
  expect([slow.isCut, brisk.isCut, waiting.isCut]).toEqual([true, false, false]);
  expect([unread, room.usedBytes]).toEqual([['less than 5 bytes of it were read in 1 s'], 25]);
});
