import { request } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';

/**
 * Sends /ping every 50 ms from a thread of its own, so that nothing the measuring program does itself is measured, and
 * keeps the longest wait for an answer.
 */
export interface Pings {
  /** Runs `work` and says how long it took and the longest wait for a ping meanwhile, in milliseconds. */
  during<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; longestMs: number }>;
  stop(): Promise<void>;
}

const EVERY_MS = 50;

export async function startPings(port: number): Promise<Pings> {
  const worker = new Worker(import.meta.filename, { workerData: { port } });
  const next = () => new Promise<number>((resolve) => worker.once('message', resolve));
  await next();
  const longest = () => {
    const told = next();
    worker.postMessage('longest');
    return told;
  };
  return {
    async during(work) {
      await longest();
      const started = performance.now();
      const result = await work();
      const seconds = (performance.now() - started) / 1000;
      return { result, seconds, longestMs: await longest() };
    },
    stop: async () => void (await worker.terminate()),
  };
}

/** The thread: one ping at a time, for one that waits says as much as many. */
function ping(port: number): void {
  let longestMs = 0;
  let isAsked = true;
  const send = () => {
    const sentAt = performance.now();
    const again = () => setTimeout(send, Math.max(0, EVERY_MS - (performance.now() - sentAt)));
    request({ port, host: '127.0.0.1', path: `${BASE_PATH}/ping`, agent: false }, (response) => {
      response.resume().on('end', () => {
        longestMs = Math.max(longestMs, performance.now() - sentAt);
        // Told only now, so that a ping which waits counts for the operation that made it wait.
        if (isAsked) parentPort?.postMessage(longestMs);
        if (isAsked) longestMs = 0;
        isAsked = false;
        again();
      });
    })
      .on('error', again)
      .end();
  };
  parentPort?.on('message', () => {
    isAsked = true;
  });
  send();
}

if (!isMainThread && typeof (workerData as { port?: unknown } | null)?.port === 'number')
  ping((workerData as { port: number }).port);
