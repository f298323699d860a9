import { Refusal } from '../../core/contract/refusals.ts';
import type { Database } from './database.ts';
import type { WorkSteps } from './work.ts';

/**
 * Replies to requests with an `Idempotency-Key`: the same request with the same key is executed once.
 *
 * A client that got no reply does not know whether its request was executed. It sends the same key again and gets the
 * first reply. Only successful replies are stored: a refused request changed nothing and may be tried again.
 */
export interface StoredReplies {
  /** The stored reply for the key, or that of `work`, which is stored in the same transaction. */
  once(key: string, request: string, work: () => unknown): unknown;
  /** The same for work in slices: the reply is stored with the last slice. */
  onceInSteps(key: string, request: string, work: () => WorkSteps<unknown>): WorkSteps<unknown>;
}

/** Longer than any client retries: a runner in an allocation waits 20 minutes for its server. */
const KEPT_MS = 3_600_000;
/**
 * Expired rows that are removed with each new one: more than one, so that all are removed in time, and few, so that no
 * request waits.
 */
const REMOVED_AT_ONCE = 20;

export function createStoredReplies(db: Database, now: () => number): StoredReplies {
  const find = db.prepare<{ key: string }, { request: string; reply: string }>(
    'select request, reply from stored_reply where key = :key',
  );
  const insert = db.prepare<{ key: string; atMs: number; request: string; reply: string }>(
    'insert into stored_reply (key, at_ms, request, reply) values (:key, :atMs, :request, :reply)',
  );
  const removeOld = db.prepare<{ before: number; limit: number }>(`
    delete from stored_reply
    where key in (select key from stored_reply where at_ms < :before order by at_ms limit :limit)`);

  const known = (key: string, request: string): { readonly reply: unknown } | undefined => {
    const before = find.get({ key });
    if (before === undefined) return undefined;
    if (before.request === request) return { reply: JSON.parse(before.reply) as unknown };
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      `the Idempotency-Key of this request was used for ${before.request}, and this is ${request}`,
      { expected: before.request, found: request },
    );
  };
  const store = (key: string, request: string, reply: unknown) => {
    const atMs = now();
    insert.run({ key, atMs, request, reply: JSON.stringify(reply) });
    removeOld.run({ before: atMs - KEPT_MS, limit: REMOVED_AT_ONCE });
    return reply;
  };

  return {
    once(key, request, work) {
      const before = known(key, request);
      return before === undefined ? store(key, request, work()) : before.reply;
    },
    *onceInSteps(key, request, work) {
      const before = known(key, request);
      return before === undefined ? store(key, request, yield* work()) : before.reply;
    },
  };
}
