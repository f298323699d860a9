import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';

/** The longest wait for a ping, and the most processor time that the server's main thread used during one wait. */
interface Longest {
  readonly longestMs: number;
  /** Ninety-nine of a hundred pings waited no longer. */
  readonly p99Ms: number;
  /** Without what neighbours of a virtual machine and other processes took; 0 elsewhere than on Linux. */
  readonly workedMs: number;
}

/**
 * Sends /ping every 50 ms from a thread of its own, so that nothing the measuring program does itself is measured, and
 * keeps the longest wait for an answer.
 */
export interface Pings {
  /**
   * Runs `work` and says how long it took, how much processor time the server's main thread used, and the longest wait for
   * a ping meanwhile.
   */
  during<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; cpuSeconds: number } & Longest>;
  stop(): Promise<void>;
}

const EVERY_MS = 50;

/** Of the server that listens on `port` with the process `pid`. */
export async function startPings({ port, pid }: { port: number; pid: number }): Promise<Pings> {
  const worker = new Worker(import.meta.filename, { workerData: { port, pid } });
  const next = () => new Promise<Longest>((resolve) => worker.once('message', resolve));
  await next();
  const longest = () => {
    const reported = next();
    worker.postMessage('longest');
    return reported;
  };
  return {
    async during(work) {
      await longest();
      const [started, cpuBefore] = [performance.now(), mainThreadMs(pid)];
      const result = await work();
      const seconds = (performance.now() - started) / 1000;
      const cpuSeconds = (mainThreadMs(pid) - cpuBefore) / 1000;
      return { result, seconds, cpuSeconds, ...(await longest()) };
    },
    stop: async () => void (await worker.terminate()),
  };
}

/** The thread: one ping at a time, for one that waits says as much as many. */
function ping(port: number, pid: number): void {
  // On one connection: a new one waits until those before it are accepted, one in each turn of the event loop.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let waits: number[] = [];
  let workedMs = 0;
  let isAsked = true;
  const send = () => {
    const sentAt = performance.now();
    const workedAtFirst = mainThreadMs(pid);
    const again = () => setTimeout(send, Math.max(0, EVERY_MS - (performance.now() - sentAt)));
    request({ port, host: '127.0.0.1', path: `${BASE_PATH}/ping`, agent }, (response) => {
      response.resume().on('end', () => {
        waits.push(performance.now() - sentAt);
        workedMs = Math.max(workedMs, mainThreadMs(pid) - workedAtFirst);
        // Added only now, so that a ping which waits counts for the operation that made it wait.
        if (isAsked) {
          const sorted = waits.toSorted((left, right) => left - right);
          const p99Ms = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
          parentPort?.postMessage({ longestMs: sorted.at(-1) ?? 0, p99Ms, workedMs });
          waits = [];
          workedMs = 0;
        }
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

/** Processor time that the main thread of a process has used since its start. Source: /proc/PID/task/TID/schedstat. */
function mainThreadMs(pid: number): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8'), 10) / 1e6;
  } catch {
    return 0;
  }
}

const { port, pid } = (workerData ?? {}) as { port?: unknown; pid?: unknown };
if (!isMainThread && typeof port === 'number' && typeof pid === 'number') ping(port, pid);
