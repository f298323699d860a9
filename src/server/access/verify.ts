import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface Question {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

export interface Verifier {
  /** Whether the password matches the hash. */
  verify(password: string, hash: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Compares passwords with bcrypt hashes in a separate thread, which starts with the first comparison. */
export function createVerifier(): Verifier {
  const open = new Map<number, { resolve: (isRight: boolean) => void; reject: (error: Error) => void }>();
  let worker: Worker | undefined;
  let questions = 0;

  const fail = (error: Error) => {
    worker = undefined;
    for (const { reject } of open.values()) reject(error);
    open.clear();
  };
  const start = () => {
    // A source file beside this one, or a bundle beside this one's bundle.
    const url = new URL(`./verify-worker${extname(import.meta.url)}`, import.meta.url);
    const started = new Worker(url);
    started.unref();
    started.on('message', ({ id, isRight }: { id: number; isRight: boolean }) => {
      open.get(id)?.resolve(isRight);
      open.delete(id);
    });
    started.on('error', fail);
    return started;
  };

  return {
    verify: (password, hash) =>
      new Promise((resolve, reject) => {
        const id = (questions += 1);
        open.set(id, { resolve, reject });
        worker ??= start();
        worker.postMessage({ id, password, hash } satisfies Question);
      }),
    async close() {
      await worker?.terminate();
    },
  };
}
