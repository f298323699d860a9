import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../core/contract/refusals.ts';
import { clientAt } from './answers.ts';
import { errorBody } from './errors.ts';
import { JSON_TYPE } from './headers.ts';
import { makeText } from './make-reply.ts';
import type { ReplyRoom } from './reply-room.ts';
import { replyTexts } from './reply-text.ts';
import type { ReceiverOptions } from '../../telemetry/serve/receiver.ts';

/** Answers questions of telemetry outside of the table of routes with the turn and the room of all long replies. */
export const answersInTurn =
  (room: ReplyRoom): ReceiverOptions['answerInTurn'] =>
  async (incoming, outgoing, make) => {
    try {
      await answer(room, incoming, outgoing, make);
    } catch (error) {
      // One that was begun is ended with its connection: its client must not take a beginning for the whole.
      if (outgoing.headersSent || !(error instanceof Refusal)) outgoing.destroy();
      else {
        const { status, body, headers } = errorBody(error);
        outgoing.writeHead(status, { 'Content-Type': JSON_TYPE, ...headers }).end(JSON.stringify(body));
      }
    }
  };

async function answer(
  room: ReplyRoom,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  make: Parameters<ReceiverOptions['answerInTurn']>[2],
): Promise<void> {
  const held = await room.turn('telemetry', clientAt(incoming, outgoing));
  try {
    const { status, headers, text } = await make();
    const reply = await makeText(text, held);
    held.begin();
    const known = reply.more === undefined ? { 'Content-Length': Buffer.byteLength(text) } : {};
    outgoing.writeHead(status, { ...headers, ...known });
    await pipeline(replyTexts(reply), outgoing);
  } finally {
    held.end();
  }
}
