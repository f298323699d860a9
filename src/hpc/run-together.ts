import { smallest } from '../core/quantity/extremes.ts';
import { changed, type FilledNode, type JobNeeds, roomFor } from './fill-allocation.ts';

/** Runners of one shape, which have so many seconds for jobs. */
export interface Runners {
  readonly count: number;
  readonly node: FilledNode;
  readonly usableSeconds: number;
}

/**
 * How many jobs of each kind are left when all runners start together and each takes what the server assigns: kinds in the order of
 * claims.
 *
 * A runner that starts alone takes the longest jobs one after another; together they take them at once, and the times that are left over
 * may be too short for the next ones.
 */
export function leftTogether(
  kinds: readonly JobNeeds[],
  counts: readonly number[],
  shapes: readonly Runners[],
): number[] {
  const left = [...counts];
  const runners = shapes.flatMap(({ count, node, usableSeconds }) =>
    Array.from({ length: count }, () => ({ free: node, usableSeconds })),
  );
  // Jobs of one kind end in the order in which they started.
  const ends = kinds.map((): { readonly seconds: number; readonly runner: number; readonly jobs: number }[] => []);
  const heads = kinds.map(() => 0);
  const claim = (at: number, nowSeconds: number) => {
    const runner = runners[at] as (typeof runners)[number];
    for (const [which, kind] of kinds.entries()) {
      if (nowSeconds + kind.seconds > runner.usableSeconds) continue;
      const jobs = Math.min(left[which] as number, roomFor(kind, runner.free));
      if (jobs <= 0) continue;
      (left[which] as number) -= jobs;
      runner.free = changed(runner.free, kind, -jobs);
      (ends[which] as (typeof ends)[number]).push({ seconds: nowSeconds + kind.seconds, runner: at, jobs });
    }
  };
  for (const at of runners.keys()) claim(at, 0);
  for (;;) {
    const nowSeconds = smallest(ends.map((each, which) => each[heads[which] as number]?.seconds ?? Infinity));
    if (nowSeconds === Infinity) return left;
    const freed = new Set<number>();
    for (const [which, kind] of kinds.entries()) {
      const queue = ends[which] as (typeof ends)[number];
      for (let end = queue[heads[which] as number]; end?.seconds === nowSeconds; end = queue[heads[which] as number]) {
        (heads[which] as number) += 1;
        const runner = runners[end.runner] as (typeof runners)[number];
        runner.free = changed(runner.free, kind, end.jobs);
        freed.add(end.runner);
      }
    }
    for (const at of freed) claim(at, nowSeconds);
  }
}
