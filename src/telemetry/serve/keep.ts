import { DAY_SECONDS } from '../store/days.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { type KeepTask, type HttpReply, httpReplyOf } from '../messages.ts';

/** What a round of keeping did. */
export interface Kept {
  readonly closed: readonly { readonly cluster: string; readonly day: string }[];
  /** Envelopes. */
  readonly deleted: number;
  /** Why days stay open that could be closed. */
  readonly problem?: string;
}

/** Closes the days that are older than the hot ones, and deletes what is older than all that is kept. */
export async function keep(store: TelemetryStore, { hotDays, keptDays }: KeepTask, now: number): Promise<HttpReply> {
  const keptSeconds = keptDays * DAY_SECONDS;
  // What was older than that when it came is an archive, and a person decides about it.
  const deleted = keptDays === 0 ? 0 : await store.prune(now - keptSeconds, keptSeconds);
  const closed: { cluster: string; day: string }[] = [];
  try {
    const days = store.closeDays?.({ before: now - hotDays * DAY_SECONDS, now }) ?? [];
    for await (const { cluster, day } of days) closed.push({ cluster, day });
    return httpReplyOf(200, { closed, deleted } satisfies Kept);
  } catch (error) {
    // Without DuckDB, or while a person closes days, the store works as before.
    return httpReplyOf(200, { closed, deleted, problem: (error as Error).message } satisfies Kept);
  }
}
