import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { refusalOf, type Reply, type Task } from './messages.ts';
import { refusals } from '../../../core/contract/refusals.ts';

/** A thread that executes tasks on the store, one after another. It starts with the first task, and again after a failure. */
export class StoreThread {
  readonly #path: string;
  readonly #isReadOnly: boolean;
  readonly #open = new Map<number, (reply: Reply) => void>();
  #worker: Worker | undefined;
  #tasks = 0;

  constructor(path: string, isReadOnly: boolean) {
    this.#path = path;
    this.#isReadOnly = isReadOnly;
  }

  /** Tasks that wait or are executed. */
  get waiting(): number {
    return this.#open.size;
  }

  execute(task: Task): Promise<Reply> {
    return new Promise((resolve) => {
      const id = (this.#tasks += 1);
      this.#open.set(id, resolve);
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, task });
    });
  }

  #start(): Worker {
    // The source file, or a bundle beside this one's bundle.
    const extension = extname(import.meta.url);
    const name = extension === '.ts' ? '../worker.ts' : `./telemetry-worker${extension}`;
    const worker = new Worker(new URL(name, import.meta.url), {
      workerData: { path: this.#path, isReadOnly: this.#isReadOnly },
    });
    worker.unref();
    worker.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      this.#open.get(id)?.(reply);
      this.#open.delete(id);
    });
    worker.on('error', (error) => this.#ended(worker, (error as Error).message));
    worker.on('exit', () => this.#ended(worker, 'the thread of telemetry ended'));
    return worker;
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const resolve of this.#open.values())
      resolve(refusalOf(503, 'TELEMETRY_UNAVAILABLE', reason, refusals.TELEMETRY_UNAVAILABLE.remedy));
    this.#open.clear();
  }

  /** Lets open tasks end, and ends the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await worker.terminate();
  }
}
