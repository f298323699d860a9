import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { piecesFault } from '../../core/contract/body-pieces.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Answers } from './answers.ts';
import type { BodyRoom, Held } from './body-room.ts';
import { type ParseOptions, parseInSlices } from './parse-in-slices.ts';
import { note } from './watch.ts';

const MEBIBYTE = 2 ** 20;

/**
 * The maximum size of a body that is parsed and checked at once, 10 ms of work. Larger ones are split, which takes
 * twice as long in total.
 */
const AT_ONCE_BYTES = 256 * 1024;

export const isLarge = (bytes: Buffer) => bytes.length > AT_ONCE_BYTES;

/** The body as a JSON value, if it is not large. Throws `BODY_MALFORMED`. */
export function parsed(bytes: Buffer): unknown {
  try {
    if (!isUtf8(bytes)) throw new SyntaxError('it is not UTF-8');
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw malformed(cause);
  }
}

/** The same for a large one, parsed in slices. Throws `BODY_TOO_LARGE` for too many values. */
export async function parsedInSlices(bytes: Buffer, options: ParseOptions): Promise<unknown> {
  try {
    return await parseInSlices(bytes, options);
  } catch (cause) {
    throw malformed(cause);
  }
}

const malformed = (cause: unknown): unknown =>
  cause instanceof SyntaxError
    ? new Refusal('BODY_MALFORMED', `Failed to parse the request body as JSON: ${cause.message}`, {}, { cause })
    : cause;

/** The bytes of a body. Its memory counts until `release` is called, whatever comes of the request. */
export interface Body {
  readonly bytes: Buffer;
  isGone(): boolean;
  /** Resolves when no other very large body is worked on. */
  alone(): Promise<void>;
  release(): void;
}

/**
 * The body of a request, refused as soon as it is larger than the route permits or arrives too slowly.
 *
 * It is read from the connection itself: web streams would cost each request 0.2 ms more, a third of an exchange. A large one
 * is read while there is memory for it.
 */
export async function bodyOfRequest(
  context: Context<Answers>,
  { mebibytes, graceMs = GRACE_MS, room }: { mebibytes: number; graceMs?: number | undefined; room: BodyRoom },
): Promise<Body> {
  const incoming = context.env?.incoming as IncomingMessage | undefined;
  const given = context.req.header('content-length');
  const length = Number(given ?? 0);
  if (length > mebibytes * MEBIBYTE) {
    incoming?.resume();
    throw tooLarge(mebibytes);
  }
  const isGone = () => incoming?.socket.destroyed === true;
  // Without a connection, as in tests, only the web interface is available.
  if (incoming === undefined) {
    const bytes = Buffer.from(await context.req.arrayBuffer());
    return { bytes, isGone, alone: () => Promise.resolve(), release() {} };
  }
  const { body, held } = await read(incoming, { mebibytes, length, graceMs, room });
  const bytes = body.whole();
  const isLong = isLarge(bytes);
  // The memory of a long one is given back before the traffic stream shows it.
  note(incoming, {
    request: isLong ? { bytes: bytes.length, head: Buffer.from(bytes.subarray(0, NOTED_BYTES)) } : bytes,
  });
  return {
    bytes,
    isGone,
    alone: () => held.alone(bytes.length),
    release() {
      if (isLong) body.free();
      held.release();
    },
  };
}

const read = (
  incoming: IncomingMessage,
  { mebibytes, length, graceMs, room }: { mebibytes: number; length: number; graceMs: number; room: BodyRoom },
) =>
  new Promise<{ body: Bytes; held: Held }>((resolve, reject) => {
    const body = createBytes(length);
    const reading: Reading = { startedAt: performance.now(), graceMs, bytes: 0, refuse: end };
    let parts = 0;
    const held = room.enter(end);
    let pausedAt = 0;
    function fail(refusal: Refusal): void {
      slow.delete(reading);
      body.free();
      held.release();
      reject(refusal);
    }
    function end(refusal: Refusal): void {
      // The remaining data is discarded, so that the client reads the reply.
      incoming.removeAllListeners('data');
      incoming.resume();
      fail(refusal);
    }
    watch(reading);
    incoming.on('data', (part: Buffer) => {
      reading.bytes += part.length;
      parts += 1;
      const fault = piecesFault(reading.bytes, parts);
      if (fault !== undefined) return end(new Refusal('BODY_TOO_SLOW', fault, { bytes: reading.bytes }));
      if (reading.bytes > mebibytes * MEBIBYTE) return end(tooLarge(mebibytes));
      const bytes = part.length;
      if (held.take({ bytes, allocatedBytes: body.needs(bytes) }, () => resume(part))) return body.add(part);
      pausedAt = performance.now();
      slow.delete(reading);
      incoming.pause();
    });
    function resume(part: Buffer): void {
      body.add(part);
      // A body is not slow while the server lets it wait.
      reading.startedAt += performance.now() - pausedAt;
      watch(reading);
      incoming.resume();
    }
    incoming.on('end', () => {
      slow.delete(reading);
      held.whole();
      resolve({ body, held });
    });
    incoming.on('error', (cause: Error) => {
      const message = `the connection ended after ${reading.bytes} bytes of the body: ${cause.message}`;
      fail(new Refusal('BODY_MALFORMED', message, {}, { cause }));
    });
  });

const tooLarge = (mebibytes: number) =>
  new Refusal('BODY_TOO_LARGE', `the request is larger than ${mebibytes} MiB, the maximum of this route`);

/** Of a long body, for the traffic stream: as many as of a long reply. */
const NOTED_BYTES = 64 * 1024;

/** Bytes allocated for a body before any of it arrived: the announced size may be false. */
const FIRST_BYTES = MEBIBYTE;

type Bytes = ReturnType<typeof createBytes>;

/** Joins the parts of a body as they arrive: joining 100 MB at the end would block the event loop for 50 ms. */
function createBytes(length: number) {
  let first: Buffer | undefined;
  let whole: Buffer | undefined;
  let used = 0;
  const sizeWith = (bytes: number): number => {
    const least = used + bytes;
    if (whole === undefined) return Math.max(least, Math.min(length, FIRST_BYTES));
    if (least <= whole.length) return whole.length;
    // When an eighth of the announced size has arrived, memory for all of it is allocated: little is copied, and only
    // once.
    const size = used * 8 < length ? 2 * whole.length : used < length ? length : 2 * used;
    return Math.max(least, size);
  };
  return {
    /** The memory that has to be allocated for so many bytes more. */
    needs: (bytes: number): number => (first === undefined ? bytes : sizeWith(bytes) - (whole?.length ?? first.length)),
    add(part: Buffer) {
      if (first === undefined) {
        first = part;
        used = part.length;
        return;
      }
      const size = sizeWith(part.length);
      if (size !== whole?.length) {
        const larger = Buffer.allocUnsafeSlow(size);
        (whole ?? first).copy(larger, 0, 0, used);
        if (whole !== undefined) free(whole);
        whole = larger;
      }
      part.copy(whole, used);
      used += part.length;
    },
    whole: () => whole?.subarray(0, used) ?? first ?? Buffer.alloc(0),
    free() {
      if (whole !== undefined) free(whole);
    },
  };
}

/** Gives the memory back now: what the collector has not found yet would be memory of the next bodies too. */
const free = ({ buffer }: Buffer) => void (buffer as ArrayBuffer).transfer(0);

/** A body that has not arrived completely. */
interface Reading {
  startedAt: number;
  readonly graceMs: number;
  bytes: number;
  readonly refuse: (refusal: Refusal) => void;
}

/**
 * The time allowed for a body of any size. Together with the rate it gives the deadline: 30 s for a small body, 3.6
 * hours for one of 200 MiB. Too short, and a client with a bad connection is refused; too long, and idle clients keep
 * connections.
 */
const GRACE_MS = 30_000;
/** After that, a lower rate is refused: a tenth of a bad connection. */
const LEAST_BYTES_PER_SECOND = 16 * 1024;
const LOOK_MS = 1_000;

const slow = new Set<Reading>();
let looking: NodeJS.Timeout | undefined;

/** One timer for all bodies: one for each would cost every request 1 µs. */
function watch(reading: Reading): void {
  slow.add(reading);
  looking ??= setInterval(lookAtSlow, Math.min(LOOK_MS, reading.graceMs)).unref();
}

function lookAtSlow(): void {
  const at = performance.now();
  for (const { startedAt, graceMs, bytes, refuse } of slow) {
    const seconds = (at - startedAt) / 1000;
    if (seconds * 1000 <= graceMs + (bytes / LEAST_BYTES_PER_SECOND) * 1000) continue;
    const reported = `${bytes} bytes of the body arrived in ${seconds.toFixed(0)} s`;
    refuse(new Refusal('BODY_TOO_SLOW', `${reported}; expected ${LEAST_BYTES_PER_SECOND} bytes a second`, { bytes }));
  }
  if (slow.size > 0) return;
  clearInterval(looking);
  looking = undefined;
}
