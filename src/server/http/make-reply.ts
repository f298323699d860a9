import { createPacker, type Part, piecesOf } from '../../thread/packed.ts';
import { beginSlice } from '../store/slices.ts';
import { type HeldReply, type WrittenPiece, Written } from '../written.ts';
import { jsonParts } from './json-parts.ts';
import { left } from './reply-room.ts';

/**
 * Makes a long reply piece by piece, until all is there or as much is kept for it as may be. A client that leaves meanwhile ends
 * this: `leave` is called where not all was made.
 */
export async function makeReply(
  held: HeldReply | undefined,
  next: () => WrittenPiece | Promise<WrittenPiece>,
  leave: () => void = () => {},
): Promise<Written> {
  const parts: Part[] = [];
  const written = new Written(parts, held, make);
  async function make(): Promise<void> {
    const { parts: more, isEnd } = await next();
    for (const part of more) {
      held?.add(part.bytes.length);
      parts.push(part);
    }
    if (!isEnd) return;
    written.more = undefined;
    held?.made();
  }
  held?.whenOver(() => {
    parts.length = 0;
    if (written.more !== undefined) leave();
  });
  try {
    while (written.more !== undefined && held?.isFull !== true) {
      if (held?.isOver === true) throw left();
      await make();
    }
  } catch (error) {
    held?.end();
    throw error;
  }
  return written;
}

/** The same of a value, in slices. */
export const makeJson = (reply: unknown, held?: HeldReply): Promise<Written> => makeOf(jsonParts(reply), held);

/** The same of a text. */
export const makeText = (text: string, held?: HeldReply): Promise<Written> => makeOf(piecesOf(text), held);

function makeOf(texts: Generator<string>, held: HeldReply | undefined): Promise<Written> {
  // Without a client it is read at once.
  const pack = createPacker(held?.plainBytes ?? Infinity);
  const slice = beginSlice();
  return makeReply(held, async () => {
    const parts: Part[] = [];
    do {
      const { value, done } = texts.next();
      if (done === true) return { parts, isEnd: true };
      parts.push(pack(value));
    } while (!slice.isOver);
    await slice.pause();
    return { parts, isEnd: false };
  });
}
