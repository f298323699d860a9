import { unpacked } from '../../thread/packed.ts';
import { nextTurn, SLICE_MS } from '../store/slices.ts';
import type { Written } from '../written.ts';

type Texts = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** The text of a long reply: each part is unpacked when its client can take it, and is kept no longer. */
export async function* replyTexts(reply: Written): Texts {
  const { parts, held } = reply;
  try {
    for (;;) {
      const part = parts.shift();
      if (part === undefined) {
        // Its connection is ended too: the client must not take a beginning for the whole.
        if (held?.isOver === true) throw new Error('this reply was ended');
        if (reply.more === undefined) return;
        await reply.more();
        continue;
      }
      if (isTurnOver()) await nextTurn();
      const text = unpacked(part);
      held?.sent(part.bytes.length, part.length);
      yield text as Uint8Array<ArrayBuffer>;
    }
  } finally {
    held?.end();
  }
}

/** A client that leaves ends it. Nothing is unpacked before it is asked for. */
export const streamOf = (texts: Texts): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await texts.return()),
    },
    { highWaterMark: 0 },
  );

let turnBegunAt: number | undefined;

/** A connection that takes everything at once would keep the event loop for as long as its reply is. */
function isTurnOver(): boolean {
  const nowMs = performance.now();
  if (turnBegunAt === undefined) {
    turnBegunAt = nowMs;
    setImmediate(() => (turnBegunAt = undefined));
  }
  return nowMs - turnBegunAt >= SLICE_MS;
}
