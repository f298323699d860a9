import { Refusal } from '../../core/contract/refusals.ts';
import type { RouteName } from '../../core/contract/routes.ts';
import { Thread } from '../../thread/thread.ts';
import { Written } from '../written.ts';

/** A read, as sent to the thread. */
export interface Question {
  readonly name: RouteName;
  readonly input: unknown;
  readonly listedFor: string | undefined;
  /** The page of a long list that can be read in pieces. */
  readonly page: { readonly offset: number; readonly limit: number } | undefined;
}

/** Executes reads in a separate thread, one after another. */
export interface Reader {
  read(asked: Question): Promise<Written>;
  close(): Promise<void>;
}

/**
 * After this time without a read the thread ends, and its memory is released: a list of 100,000 jobs takes 100 MB
 * there. Starting it again takes 100 ms, so it must still run for pages that are requested one after another.
 */
const IDLE_MS = 3_000;

/**
 * With V8's default, rows that are already written as text take 50 MB before they are collected. With 8 MB the collector copies
 * so many of them that a list of 10,000 jobs takes a third more CPU time.
 */
const YOUNG_MB = 24;

/** Reads the database at `path`. The thread starts with the first read. */
export function createReader(path: string): Reader {
  const thread = new Thread<Question, readonly Uint8Array<ArrayBuffer>[]>('./read-worker', import.meta.url, {
    workerData: { path },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    idleMs: IDLE_MS,
  });
  return {
    read: async (asked) => new Written(await thread.ask(asked)),
    close: () => thread.close(new Refusal('SHUTTING_DOWN', 'the server is closing')),
  };
}
