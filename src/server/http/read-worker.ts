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
import { openReadOnly } from '../records/read-only.ts';
import type { Page } from '../store/listing.ts';
import { Elements, jsonParts } from './json-parts.ts';
import type { Question } from './reader.ts';

const { store, inOneRead } = openReadOnly((workerData as { path: string }).path);
let listedFor: string | undefined;
/** The server checked them before the request; only the owner of listed workflows remains to be checked. */
const permissions: Permissions = {
  check() {},
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
} as unknown as Readonly<Record<string, (input: unknown) => unknown>>;
const encoder = new TextEncoder();

/** Rows that are read at once: as objects they take ten times as much memory as their text. */
const ROWS_AT_ONCE = 2_000;

/** The reply; of a long list only a piece at a time exists as objects. */
function replyTo({ name, input, page }: Question): unknown {
  const handle = handlers[name] as (input: unknown) => unknown;
  if (page === undefined) return handle(input);
  const read = (from: number) => {
    const piece = { offset: page.offset + from, limit: Math.min(ROWS_AT_ONCE, page.limit - from) };
    const asked = input as { readonly query?: object };
    return handle({ ...asked, query: { ...asked.query, ...piece } }) as Page<unknown>;
  };
  const first = read(0);
  const count = Math.min(page.limit, Math.max(first.items.length, first.total_count - page.offset));
  const items = (function* () {
    yield* first.items.splice(0);
    for (let from = ROWS_AT_ONCE; from < count; from += ROWS_AT_ONCE) yield* read(from).items;
  })();
  return { ...first, items: new Elements(items), count, has_more: page.offset + count < first.total_count };
}

answerEach<Question>(
  (question) => {
    ({ listedFor } = question);
    return inOneRead(() => Array.from(jsonParts(replyTo(question)), (part) => encoder.encode(part)));
  },
  (parts: readonly Uint8Array<ArrayBuffer>[]) => parts.map(({ buffer }) => buffer),
);
