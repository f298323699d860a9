import type { Memory } from './memory.ts';
import { withReasons } from './counts.ts';
import type { WatchOptions, WatchTools } from './tools.ts';

/** Why it is useless to submit more: allocations have ended one after another, and no job started in them. */
export async function fruitlessWords(
  tools: WatchTools,
  { maxFruitless }: WatchOptions,
  memory: Memory,
): Promise<string | undefined> {
  const { submitted, hasSeenRunning } = memory;
  if (submitted.length === 0) return undefined;
  // A controller that is killed forgets what was submitted just before: that counts once, whatever the number.
  memory.fruitless =
    hasSeenRunning || (await tools.hasStarted(submitted))
      ? 0
      : memory.fruitless + Math.max(1, await tools.begun(submitted));
  memory.submitted = [];
  memory.hasSeenRunning = false;
  if (maxFruitless === 0 || memory.fruitless < maxFruitless) return undefined;
  const last = submitted.at(-1);
  // The output of a task is named by an id that it got when it started.
  const output = typeof last === 'number' ? `; its output is slurm_output_*_sl${last}.e` : '';
  const words = `${memory.fruitless} allocation(s) in a row ended, and no job started in them (the last one is Slurm job ${last}${output})`;
  return withReasons(words, await tools.unrunnable());
}
