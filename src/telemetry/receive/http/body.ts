import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { piecesFault } from '../../../core/contract/body-pieces.ts';
import type { Refusal } from '../../../core/contract/refusals.ts';
import { GREATEST_ENVELOPE } from '../../format/split.ts';
import { refusalOf, type HttpReply } from '../../messages.ts';

/** The memory for bodies, as the server has it for all of them. */
export interface ReceiverRoom {
  /** A body that begins to arrive. `refuse` ends it. */
  enter(refuse: (refusal: Refusal) => void): {
    /** A part arrived. False where it has to wait: `resume` is called when its memory may be allocated. */
    take(part: { readonly bytes: number; readonly allocatedBytes: number }, resume: () => void): boolean;
    whole(): void;
    release(): void;
  };
}

export interface UnpackedBody {
  /** The body, unpacked; memory that can be handed over. */
  readonly blocks: Uint8Array<ArrayBuffer>[];
  /** It is stored, or will not be. */
  release(): void;
}

/** Envelopes of a request, unpacked: packed ones of a few KB can become gigabytes. */
const MOST_BYTES = GREATEST_ENVELOPE;
/** A body that arrives more slowly holds a connection. What it waits for memory does not count. */
const BODY_MS = 60_000;
/** Most bodies are smaller; larger ones are read a block at a time, and joined nowhere. */
const BLOCK_BYTES = 2 ** 20;
const FIRST_BYTES = 16 * 1024;

/** The body, or the refusal of one that is too large, too slow or damaged. */
export function unpackedBodyOf(incoming: IncomingMessage, room: ReceiverRoom): Promise<UnpackedBody | HttpReply> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip')
    return Promise.resolve(
      refusalOf('CONTENT_TYPE_REFUSED', `the body is packed with ${encoding}`, 'Use gzip, or nothing.'),
    );
  return new Promise((resolve) => {
    const body = createBlocks(Number(incoming.headers['content-length'] ?? 0));
    let length = 0;
    let isOver = false;
    const gunzip = encoding === 'gzip' ? createGunzip() : undefined;
    const source = gunzip ?? incoming;
    const held = room.enter(({ code, message }) => refuse(refusalOf(code, message)));
    const end = (result: UnpackedBody | HttpReply) => {
      isOver = true;
      clearTimeout(slow);
      incoming.off('data', forward);
      incoming.resume();
      gunzip?.destroy();
      resolve(result);
    };
    const refuse = (reply: HttpReply) => {
      if (isOver) return;
      held.release();
      end(reply);
    };
    const tooSlow = () =>
      refuse(
        refusalOf(
          'BODY_TOO_SLOW',
          `the body took longer than ${BODY_MS / 1000} s`,
          'Send fewer envelopes in a request.',
        ),
      );
    let slow = setTimeout(tooSlow, BODY_MS);
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MOST_BYTES) {
        const words = `the body has more than ${MOST_BYTES} bytes, unpacked`;
        refuse(refusalOf('BODY_TOO_LARGE', words, 'Send fewer envelopes in a request.'));
        return;
      }
      const resume = () => {
        if (isOver) return;
        body.add(chunk);
        slow = setTimeout(tooSlow, BODY_MS);
        source.resume();
      };
      if (held.take({ bytes: chunk.length, allocatedBytes: body.needs(chunk.length) }, resume)) return body.add(chunk);
      clearTimeout(slow);
      source.pause();
    };
    let parts = 0;
    let packedBytes = 0;
    const forward = (chunk: Buffer) => {
      parts += 1;
      packedBytes += chunk.length;
      const fault = piecesFault(packedBytes, parts);
      if (fault !== undefined) return refuse(refusalOf('BODY_TOO_SLOW', fault, 'Send the body in larger chunks.'));
      if (gunzip === undefined) take(chunk);
      else if (!gunzip.write(chunk)) {
        incoming.pause();
        gunzip.once('drain', () => incoming.resume());
      }
    };
    const isDone = () => {
      if (isOver) return;
      held.whole();
      end({ blocks: body.blocks(), release: () => held.release() });
    };
    incoming.on('data', forward);
    incoming.once('aborted', () => refuse(refusalOf('BODY_MALFORMED', 'the body was cut off', 'Send the whole body.')));
    if (gunzip === undefined) incoming.once('end', isDone);
    else {
      incoming.once('end', () => gunzip.end());
      gunzip.on('data', take);
      gunzip.once('end', isDone);
      gunzip.once('error', () =>
        refuse(refusalOf('BODY_MALFORMED', 'the body is no gzip data', 'Send the body as its header says.')),
      );
    }
  });
}

/** Copies what arrives into blocks of its own: chunks of a socket are parts of larger memory. */
function createBlocks(announced: number) {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  /** Of the last block. */
  let used = 0;
  const left = () => (blocks.at(-1)?.length ?? 0) - used;
  const sizeFor = (bytes: number) =>
    blocks.length > 0 ? BLOCK_BYTES : Math.min(BLOCK_BYTES, Math.max(bytes, announced, FIRST_BYTES));
  return {
    /** The memory that has to be allocated for so many bytes more. */
    needs: (bytes: number): number => (bytes <= left() ? 0 : sizeFor(bytes)),
    add(chunk: Uint8Array) {
      for (let rest = chunk; rest.length > 0;) {
        if (left() === 0) {
          blocks.push(new Uint8Array(sizeFor(rest.length)));
          used = 0;
        }
        const some = rest.subarray(0, left());
        blocks.at(-1)?.set(some, used);
        used += some.length;
        rest = rest.subarray(some.length);
      }
    },
    blocks: () => blocks.map((block, index) => (index === blocks.length - 1 ? block.subarray(0, used) : block)),
  };
}
