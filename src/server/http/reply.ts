import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { beginSlice } from '../store/slices.ts';
import { Written } from '../written.ts';
import type { Answers } from './answers.ts';
import { acceptedEncoding, createCompressor, type Encoding, LEAST_BYTES } from './compress.ts';
import { headersFor, JSON_TYPE, variesByEncoding } from './headers.ts';
import { isLongReply, jsonParts } from './json-parts.ts';
import { note } from './watch.ts';

const compressor = createCompressor();

/**
 * A reply with these headers, in lower case as all replies have them on the wire.
 *
 * Not by `context.body`, which copies several headers into an object of the web, from which they are copied again: 4 µs, and the
 * first time the runtime loads its second client for HTTP (`late-web.ts`).
 */
export const respond = (
  body: ConstructorParameters<typeof Response>[0],
  status: number,
  headers: Readonly<Record<string, string>>,
): Response => new Response(body, { status, headers });

/** Sends a reply as JSON. A long one is written in slices, as fast as the connection accepts them. */
export function send(
  context: Context<Answers>,
  reply: unknown,
  status: ContentfulStatusCode,
): Response | Promise<Response> {
  const incoming = context.env?.incoming;
  const headers = headersFor(context, JSON_TYPE);
  const isGet = context.req.method === 'GET';
  const encoding = isGet ? acceptedEncoding(context.req.header('accept-encoding')) : undefined;
  if (isGet) headers['vary'] = variesByEncoding(context);
  if (reply instanceof Written || isLongReply(reply)) return sendInParts(context, reply, { status, headers, encoding });
  const text = JSON.stringify(reply);
  note(incoming, { response: text });
  if (encoding === undefined || text.length <= LEAST_BYTES) return respond(text, status, headers);
  return sendCompressed(context, text, { status, headers, encoding });
}

interface Head {
  readonly status: ContentfulStatusCode;
  readonly headers: Record<string, string>;
  readonly encoding: Encoding | undefined;
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

async function sendInParts(context: Context<Answers>, reply: unknown, { status, headers, encoding }: Head) {
  const { parts } = reply instanceof Written ? reply : await written(reply);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  note(context.env?.incoming, { response: { bytes: length, head: Buffer.from(parts[0] ?? []) } });
  const stream = encoding === undefined || length <= LEAST_BYTES ? undefined : compressor.parts(parts, encoding);
  if (stream === undefined) return respond(streamOf(parts), status, { ...headers, 'content-length': String(length) });
  return respond(stream, status, { ...headers, 'content-encoding': encoding as string });
}

async function written(reply: unknown): Promise<Written> {
  const slice = beginSlice();
  const encoder = new TextEncoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const part of jsonParts(reply)) {
    parts.push(encoder.encode(part));
    if (slice.isOver) await slice.pause();
  }
  return new Written(parts);
}

function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const part = parts[next];
      next += 1;
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}
