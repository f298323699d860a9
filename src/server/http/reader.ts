import { Refusal } from '../../core/contract/refusals.ts';
import type { WideRoute } from '../handlers.ts';
import { Thread } from '../../thread/thread.ts';
import type { HeldReply, WrittenPiece, Written } from '../written.ts';
import { makeReply } from './make-reply.ts';
import type { Asked } from './paged.ts';

/** A read, as sent to a thread. */
export interface ReadQuestion {
  readonly name: WideRoute;
  readonly input: unknown;
  readonly listedFor: string | undefined;
  /** The page of a long list that can be read in pieces. */
  readonly page: Asked | undefined;
}

/** What a thread does next: it has one read open, whose text it makes piece by piece. */
export type ThreadStep = { readonly begin: ReadQuestion; readonly plainBytes: number } | 'go on' | 'leave';

/** Executes reads in threads: of each kind one at a time, as the turns of replies have it. */
export interface ReadThreads {
  read(kind: 'long read' | 'short read', asked: ReadQuestion, held: HeldReply): Promise<Written>;
  close(): Promise<void>;
}

/**
 * After this time without a read a thread ends, and its memory is released: a list of 100,000 jobs takes 100 MB
 * there. Starting it again takes 100 ms, so it must still run for pages that are requested one after another.
 */
const IDLE_MS = 3_000;

/**
 * With V8's default, rows that are already written as text take 50 MB before they are collected. With 8 MB the collector copies
 * so many of them that a list of 10,000 jobs takes a third more CPU time.
 */
const YOUNG_MB = 24;

/** Reads the database at `path`. A thread starts with the first read of its kind. */
export function createReader(path: string): ReadThreads {
  const threadOf = () =>
    new Thread<ThreadStep, WrittenPiece>('./read-worker', import.meta.url, {
      workerData: { path },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      idleMs: IDLE_MS,
    });
  const threads = { 'long read': threadOf(), 'short read': threadOf() };
  return {
    read(kind, asked, held) {
      const thread = threads[kind];
      let step: ThreadStep = { begin: asked, plainBytes: held.plainBytes };
      // Between two pieces a slow client may take longer than an idle thread lives.
      const release = thread.keep();
      held.whenMade(release);
      return makeReply(
        held,
        () => {
          const next = thread.ask(step);
          step = 'go on';
          return next;
        },
        // If it fails the read is closed already.
        () => void thread.ask('leave').catch(() => {}),
      );
    },
    close: async () => {
      const reason = new Refusal('SHUTTING_DOWN', 'the server is closing');
      await Promise.all(Object.values(threads).map((thread) => thread.close(reason)));
    },
  };
}
