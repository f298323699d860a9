import { basename, extname } from 'node:path';
import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';
import { Refusal, type RefusalCode } from '../core/contract/refusals.ts';

/** A reply to the question with this number, as `answerEach` sends it. */
export type Answered = { readonly id: number } & (
  | { readonly reply: unknown }
  | { readonly refusal: { readonly code: RefusalCode; readonly message: string; readonly facts: object } }
  | { readonly bug: { readonly message: string; readonly stack: string | undefined } }
);

export interface ThreadOptions extends Pick<WorkerOptions, 'workerData' | 'resourceLimits'> {
  /** After this time without a question the thread ends, and its memory is released. Without it the thread stays. */
  readonly idleMs?: number;
  /** Why open questions fail where the thread ended without an error. */
  readonly ended?: string;
}

/** A thread that answers questions. It starts with the first one, and again after it failed or ended. */
export class Thread<Question, Reply> {
  readonly #url: URL;
  readonly #options: ThreadOptions;
  readonly #open = new Map<number, PromiseWithResolvers<Reply>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #questions = 0;
  #keeps = 0;

  /** `path` leads from the source file of `importUrl` to that of the thread; bundles stand side by side. */
  constructor(path: string, importUrl: string, options: ThreadOptions = {}) {
    const ending = extname(importUrl);
    this.#url = new URL(`${ending === '.ts' ? path : `./${basename(path)}`}${ending}`, importUrl);
    this.#options = options;
  }

  /** Questions without a reply. */
  get waiting(): number {
    return this.#open.size;
  }

  /** `transfers`: parts of the question that are handed over instead of copied. */
  async ask(question: Question, transfers: readonly Transferable[] = []): Promise<Reply> {
    clearTimeout(this.#idle);
    const id = (this.#questions += 1);
    const asked = Promise.withResolvers<Reply>();
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, question }, transfers);
    this.#open.set(id, asked);
    return asked.promise;
  }

  /** The thread stays although it has no question, until the result is called. */
  keep(): () => void {
    this.#keeps += 1;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      this.#keeps -= 1;
      this.#rest();
    };
  }

  /**
   * Ends the thread. Open questions fail for this reason at once, because a thread that reads from a file system that hangs ends
   * only when that answers; without a reason they stay open, for callers that are gone.
   */
  async close(reason?: Error): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (reason !== undefined) this.#fail(reason);
    await worker?.terminate();
  }

  #start(): Worker {
    const { idleMs: _idleMs, ended = 'its thread ended', ...options } = this.#options;
    const worker = new Worker(this.#url, options);
    worker.on('message', (answered: Answered) => {
      const asked = this.#open.get(answered.id);
      this.#open.delete(answered.id);
      if ('reply' in answered) asked?.resolve(answered.reply as Reply);
      else asked?.reject(errorOf(answered));
      this.#rest();
    });
    const failed = (error: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#fail(error);
    };
    worker.on('error', failed);
    worker.on('exit', () => failed(new Error(ended)));
    // Last: each listener of messages holds the process again.
    worker.unref();
    return worker;
  }

  #rest(): void {
    const { idleMs } = this.#options;
    clearTimeout(this.#idle);
    if (this.#open.size > 0 || this.#keeps > 0 || idleMs === undefined) return;
    this.#idle = setTimeout(() => this.#end(), idleMs).unref();
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #fail(reason: unknown): void {
    for (const { reject } of this.#open.values()) reject(reason);
    this.#open.clear();
  }
}

function errorOf(failed: Exclude<Answered, { reply: unknown }>): Error {
  if ('bug' in failed) return Object.assign(new Error(failed.bug.message), { stack: failed.bug.stack });
  const { code, message, facts } = failed.refusal;
  return new Refusal(code, message, { ...facts });
}
