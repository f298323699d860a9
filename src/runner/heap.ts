import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Of a heap as large as this enough is garbage of another command to be worth some 20 ms of work. */
const LARGE_BYTES = 24 * 2 ** 20;

/**
 * Tells the engine to prefer a small heap to rare collections.
 *
 * A runner lives for days beside jobs that need the memory, and makes little but short-lived garbage: left alone the
 * engine lets its heap grow to 90 MB within 100,000 jobs, with this it stays at 35, and the rate is the same. Small also
 * means fast where jobs are launched by fork. Both flags are looked at whenever the heap could grow, so they count from
 * here on; what a command has used before, to read and create a workflow of 100,000 jobs for instance, is given back.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--semi-space-growth-factor=1');
  if (process.memoryUsage().heapTotal > LARGE_BYTES) collectGarbage();
}

/** The engine hands its collector out only where it is told to before the context is made. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
