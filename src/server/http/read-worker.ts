/**
 * A thread that executes reads over many rows with its own connection: the event loop of the server does not wait for
 * them. The handlers are those of the server. A read sees the database at one moment.
 */
import { workerData } from 'node:worker_threads';
import { answerEach } from '../../thread/answer-each.ts';
import { allocateHandlers } from '../allocate/handlers.ts';
import { recordHandlers } from '../records/handlers.ts';
import { claimHandlers } from '../claim/handlers.ts';
import { reportHandlers } from '../report/handlers.ts';
import type { Permissions } from '../caller.ts';
import type { Handlers, WideRoute } from '../handlers.ts';
import { openReadOnly } from '../records/read-only.ts';
import { damageRefusal, isDatabaseDamage } from '../store/damage.ts';
import type { ListPage } from '../store/listing.ts';
import { createPacker, type Part } from '../../thread/packed.ts';
import type { WrittenPiece } from '../written.ts';
import { jsonParts } from './json-parts.ts';
import { pagedBy } from './paged.ts';
import type { ReadQuestion, ThreadStep } from './reader.ts';

const { store, beginRead } = openReadOnly((workerData as { path: string }).path);
let listedFor: string | undefined;
/** The server checked them before the request; only the owner of listed workflows remains to be checked. */
const permissions: Permissions = {
  check() {},
  checkCaller() {},
  sees: () => true,
  owns: () => false,
  listedFor: () => listedFor,
  isFor: () => false,
  isEnforced: false,
  haveChanged() {},
  onChange: () => () => {},
};
const handlers = {
  ...recordHandlers(store, permissions),
  ...reportHandlers(store, permissions),
  ...allocateHandlers(store),
  ...claimHandlers(store),
} satisfies Pick<Handlers, WideRoute>;

/** Rows that are read at once. */
const ROWS_AT_ONCE = 2_000;
/** A piece takes so long at most: meanwhile a client that left is not noticed. */
const PIECE_MS = 50;
/** A piece has so many bytes at most: 50 ms were enough for 20 MB of few large records, which the room of replies did not expect. */
const PIECE_BYTES = 2 * 2 ** 20;

/** The reply; of a long list only a piece at a time exists as objects. */
function replyTo({ name, input, page }: ReadQuestion): unknown {
  const handle = handlers[name] as unknown as (input: unknown) => unknown;
  if (page === undefined) return handle(input);
  const asked = input as { readonly query?: object };
  return pagedBy(
    (piece) => handle({ ...asked, query: { ...asked.query, ...piece } }) as ListPage<unknown>,
    page,
    ROWS_AT_ONCE,
  );
}

interface Reading {
  readonly texts: Generator<string>;
  readonly pack: (text: string) => Part;
  end(): void;
}
let reading: Reading | undefined;

function leave(): WrittenPiece {
  reading?.end();
  reading = undefined;
  return { parts: [], isEnd: true };
}

function begin(question: ReadQuestion, plainBytes: number): void {
  leave();
  ({ listedFor } = question);
  const end = beginRead();
  reading = { texts: textsOf(question), pack: createPacker(plainBytes), end };
}

/** The first rows are read with the first piece, in the same read as all others. */
function* textsOf(question: ReadQuestion): Generator<string> {
  yield* jsonParts(replyTo(question));
}

function goOn(): WrittenPiece {
  if (reading === undefined) throw new Error('no read is open');
  const { texts, pack } = reading;
  const parts: Part[] = [];
  let bytes = 0;
  for (const until = performance.now() + PIECE_MS; bytes < PIECE_BYTES && performance.now() < until;) {
    const { value, done } = texts.next();
    if (done === true) {
      leave();
      return { parts, isEnd: true };
    }
    const part = pack(value);
    bytes += part.bytes.length;
    parts.push(part);
  }
  return { parts, isEnd: false };
}

answerEach<ThreadStep>(
  (step) => {
    if (step === 'leave') return leave();
    if (step !== 'go on') begin(step.begin, step.plainBytes);
    try {
      return goOn();
    } catch (error) {
      leave();
      // Of an error only a refusal arrives with what it is.
      throw isDatabaseDamage(error) ? damageRefusal(error) : error;
    }
  },
  ({ parts }: WrittenPiece) => parts.map(({ bytes }) => bytes.buffer),
);
