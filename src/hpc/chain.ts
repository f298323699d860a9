import { greatest } from '../core/quantity/extremes.ts';
import type { JobGroup } from './job-group.ts';

/** Whether a job waits for one of these, of all jobs by number. */
export type WaitsFor = (isOne: (job: number) => boolean) => (job: number) => boolean;

/**
 * The time that jobs take which wait for each other: those that wait for none of these groups, those that wait for these, and so on, each
 * step as long as its longest job. It stops counting above `mostSeconds`.
 */
export function chainSeconds(groups: readonly JobGroup[], waitsFor: WaitsFor, mostSeconds: number): number {
  let left = groups.flatMap(({ jobs, runtimeSeconds }) => jobs.map(({ number }) => ({ number, runtimeSeconds })));
  // The level that each job is known to be behind. A set for each level takes 13 s for a chain of 100,000 jobs.
  const levelOf = new Uint32Array(
    greatest(
      left.map(({ number }) => number),
      0,
    ) + 1,
  );
  let seconds = 0;
  for (let level = 1; left.length > 0 && seconds < mostSeconds; level += 1) {
    for (const { number } of left) levelOf[number] = level;
    const waits = waitsFor((job) => levelOf[job] === level);
    const later: typeof left = [];
    let longest = 0;
    for (const job of left)
      if (waits(job.number)) later.push(job);
      else longest = Math.max(longest, job.runtimeSeconds);
    seconds += longest;
    left = later;
  }
  return seconds;
}
