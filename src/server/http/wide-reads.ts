import { telemetryRoutes } from '../../core/contract/routes/telemetry.ts';
import { type RouteName, routes } from '../../core/contract/routes.ts';
import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import type { Caller, Permissions } from '../caller.ts';
import type { WideRoute } from '../handlers.ts';
import { clamped, type ListPage } from '../store/listing.ts';
import { createSize } from '../store/size.ts';
import type { Store } from '../records/store.ts';
import type { HeldReply, LongText } from '../written.ts';
import { type ReplyReceiver, SERVER_ITSELF } from './answers.ts';
import { isLongReply } from './json-parts.ts';
import { makeJson, makeText } from './make-reply.ts';
import { type Asked, pagedBy } from './paged.ts';
import type { ReadThreads } from './reader.ts';
import type { ReplyKind, ReplyRoom } from './reply-room.ts';

/** Rows of a page that are read at once: 9 µs each. */
const ROWS_AT_ONCE = 500;

type Handle = (input: never, caller: Caller) => unknown;
interface ListRequest {
  readonly query?: { readonly offset?: number; readonly limit?: number; readonly sort_by?: string };
}

const isWide = (name: RouteName): name is WideRoute => 'reads' in routes[name];

/** Each piece of a list in another order than its index would sort all rows again. */
const isSorted = ({ query }: ListRequest) => query?.sort_by !== undefined && query.sort_by !== 'id';

/**
 * Executes reads so that none blocks the event loop for long, and so that their replies have room.
 *
 * A small database is read at once. Reading threads execute reads over many rows of a large one, and see the
 * database at one moment. A database in memory has no second connection: there a long page is read in pieces, and
 * between two pieces others may write. Each row is then as it was when its piece was read; a row that others remove or
 * reorder meanwhile may be missing or appear twice.
 *
 * A read whose reply was long before waits for its turn: its rows take more memory than their text.
 */
export function createWideReads(
  store: Store,
  permissions: Permissions,
  reader: ReadThreads | undefined,
  room: ReplyRoom,
) {
  const size = createSize(store.db);
  const longBefore = new Set<RouteName>();
  const inTurn = async (kind: ReplyKind, client: ReplyReceiver, make: (held: HeldReply) => Promise<unknown>) => {
    const held = await room.turn(kind, client);
    try {
      return await make(held);
    } catch (error) {
      held.end();
      throw error;
    }
  };
  const readAtOnce = (name: RouteName, read: () => unknown, client: ReplyReceiver): unknown => {
    const noted = (reply: unknown) => {
      if (isLongReply(reply)) longBefore.add(name);
      return reply;
    };
    // The server itself may ask within a read that has its turn.
    if (!longBefore.has(name) || client === SERVER_ITSELF) {
      const reply = read();
      return reply instanceof Promise ? reply.then(noted) : noted(reply);
    }
    return inTurn('loop', client, async (held) => {
      const reply = await read();
      if (isLongReply(reply)) return makeJson(reply, held);
      held.end();
      return reply;
    });
  };
  return (name: RouteName, handle: Handle, input: unknown, caller: Caller, client: ReplyReceiver): unknown => {
    const whole = () => handle(input as never, caller);
    if (Object.hasOwn(telemetryRoutes, name)) {
      // Written by its thread, which answers one question after another.
      return inTurn('telemetry', client, async (held) => makeText(((await whole()) as LongText).text, held));
    }
    if (!isWide(name) || !size.isLarge()) return readAtOnce(name, whole, client);
    const { reads } = routes[name];
    const isList = reads === 'page' || reads === 'clamped page';
    const page = isList ? pageAsked(input as ListRequest, reads) : undefined;
    if (reader !== undefined) {
      const turn = page === undefined && reads !== 'rows' ? 'short read' : 'long read';
      const listedFor = name === 'listWorkflows' ? permissions.listedFor(caller) : undefined;
      const question = { name, input, listedFor, page: isSorted(input as ListRequest) ? undefined : page };
      return room.turn(turn, client).then((held) => reader.read(turn, question, held));
    }
    if (page === undefined) return readAtOnce(name, whole, client);
    const asked = input as ListRequest;
    const read = (piece: Asked) => handle({ ...asked, query: { ...asked.query, ...piece } } as never, caller);
    const paged = () => pagedBy((piece) => read(piece) as ListPage<unknown>, page, ROWS_AT_ONCE);
    return client === SERVER_ITSELF ? makeJson(paged()) : inTurn('loop', client, (held) => makeJson(paged(), held));
  };
}

/** The requested page; undefined if it is small, or is refused. */
function pageAsked({ query = {} }: ListRequest, list: 'page' | 'clamped page'): Asked | undefined {
  const { offset = 0, limit = PAGE_LIMIT } = list === 'clamped page' ? clamped(query) : query;
  return offset < 0 || limit > PAGE_LIMIT || limit <= ROWS_AT_ONCE ? undefined : { offset, limit };
}

export type WideReads = ReturnType<typeof createWideReads>;
