import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Refusal, type RefusalCode } from '../../core/contract/refusals.ts';
import type { RouteName } from '../../core/contract/routes.ts';
import { Written } from '../written.ts';

/** A read, as sent to the thread. */
export interface Question {
  readonly id: number;
  readonly name: RouteName;
  readonly input: unknown;
  readonly listedFor: string | undefined;
  /** The page of a long list that can be read in pieces. */
  readonly page: { readonly offset: number; readonly limit: number } | undefined;
}

export interface ReadAnswer {
  readonly id: number;
  readonly parts?: readonly Uint8Array<ArrayBuffer>[];
  readonly refusal?: { readonly code: RefusalCode; readonly message: string; readonly facts: Record<string, unknown> };
  readonly bug?: string;
}

/** Executes reads in a separate thread, one after another. */
export interface Reader {
  read(asked: Omit<Question, 'id'>): Promise<Written>;
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
export function createReader(path: string, idleMs = IDLE_MS): Reader {
  const open = new Map<number, { resolve: (reply: Written) => void; reject: (error: unknown) => void }>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let questions = 0;

  const end = async () => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  const answered = ({ id, parts, refusal, bug }: ReadAnswer) => {
    const asked = open.get(id);
    open.delete(id);
    if (parts !== undefined) asked?.resolve(new Written(parts));
    else if (refusal !== undefined) asked?.reject(new Refusal(refusal.code, refusal.message, refusal.facts));
    else asked?.reject(new Error(bug));
    if (open.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
  };
  const start = () => {
    // A source file beside this one, or a bundle beside this one's bundle.
    const url = new URL(`./read-worker${extname(import.meta.url)}`, import.meta.url);
    const started = new Worker(url, { workerData: { path }, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    started.unref();
    started.on('message', answered);
    started.on('error', (error) => {
      if (worker === started) worker = undefined;
      for (const { reject } of open.values()) reject(error);
      open.clear();
    });
    return started;
  };

  return {
    read: (asked) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle);
        const id = (questions += 1);
        open.set(id, { resolve, reject });
        worker ??= start();
        worker.postMessage({ id, ...asked } satisfies Question);
      }),
    async close() {
      clearTimeout(idle);
      await end();
      for (const { reject } of open.values()) reject(new Refusal('SHUTTING_DOWN', 'the server is closing'));
      open.clear();
    },
  };
}
