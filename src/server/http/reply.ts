import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { PLAIN_BYTES } from '../../thread/packed.ts';
import { Written } from '../written.ts';
import { type Answers, type ReplyReceiver, clientOf, SERVER_ITSELF } from './answers.ts';
import { acceptedEncoding, createCompressor, type Encoding, LEAST_BYTES } from './compress.ts';
import { headersFor, JSON_TYPE, variesByEncoding } from './headers.ts';
import { isLongReply } from './json-parts.ts';
import { makeJson, makeText } from './make-reply.ts';
import { streamOf, replyTexts } from './reply-text.ts';
import type { ReplyRoom } from './reply-room.ts';
import { note } from './watch.ts';

const compressor = createCompressor();

/**
 * A reply with these headers, in lower case as all replies have them on the wire.
 *
 * Not by `context.body`, which copies several headers into an object of the web, from which they are copied again: 4 µs.
 */
export const respond = (
  body: ConstructorParameters<typeof Response>[0],
  status: number,
  headers: Readonly<Record<string, string>>,
): Response => new Response(body, { status, headers });

/** Sends a reply as JSON. A long one is made in slices, counted in the room, and sent as fast as its client reads. */
export function sendReply(
  context: Context<Answers>,
  reply: unknown,
  status: ContentfulStatusCode,
  room: ReplyRoom,
): Response | Promise<Response> {
  const incoming = context.env?.incoming;
  const headers = headersFor(context, JSON_TYPE);
  const isGet = context.req.method === 'GET';
  const encoding = isGet ? acceptedEncoding(context.req.header('accept-encoding')) : undefined;
  if (isGet) headers['vary'] = variesByEncoding(context);
  const head = { status, headers, encoding };
  if (reply instanceof Written) return sendLong(context, reply, head);
  if (isLongReply(reply))
    return makeJson(reply, heldFor(clientOf(context), room)).then((made) => sendLong(context, made, head));
  const text = JSON.stringify(reply);
  if (text.length > PLAIN_BYTES) return sendText(context, text, head, room);
  note(incoming, { response: text });
  if (encoding === undefined || text.length <= LEAST_BYTES) return respond(text, status, headers);
  return sendCompressed(context, text, { status, headers, encoding });
}

const heldFor = (client: ReplyReceiver, room: ReplyRoom) => (client === SERVER_ITSELF ? undefined : room.enter(client));

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding?: Encoding | undefined;
}

/** Sends a text of any length; a long one is kept packed. */
export async function sendText(
  context: Context<Answers>,
  text: string,
  head: Head,
  room: ReplyRoom,
): Promise<Response> {
  if (text.length <= PLAIN_BYTES) return respond(text, head.status, head.headers);
  return sendLong(context, await makeText(text, heldFor(clientOf(context), room)), head);
}

async function sendCompressed(
  context: Context<Answers>,
  text: string,
  { status, headers, encoding }: Head & { readonly encoding: Encoding },
) {
  const bytes = await compressor.text(text, encoding);
  if (bytes === undefined) return respond(text, status, headers);
  return respond(bytes, status, { ...headers, 'content-encoding': encoding });
}

function sendLong(context: Context<Answers>, reply: Written, { status, headers, encoding }: Head): Response {
  const length = reply.parts.reduce((sum, part) => sum + part.length, 0);
  note(context.env?.incoming, { response: { bytes: length, head: Buffer.from(reply.parts[0]?.bytes ?? []) } });
  if (clientOf(context) !== SERVER_ITSELF) reply.held?.begin();
  const texts = replyTexts(reply);
  const stream = encoding === undefined || length <= LEAST_BYTES ? undefined : compressor.parts(texts, encoding);
  if (stream !== undefined) return respond(stream, status, { ...headers, 'content-encoding': encoding as string });
  // Of one that is not all made the length is not known.
  const known = reply.more === undefined ? { 'content-length': String(length) } : {};
  return respond(streamOf(texts), status, { ...headers, ...known });
}
