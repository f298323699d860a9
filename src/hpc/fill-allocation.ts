import { largestFirst } from '../core/lifecycle/placement/claim-order.ts';
import { greatest, smallest } from '../core/quantity/extremes.ts';

/** What a job needs of a node, or what the jobs of a node need together. */
export interface NodePart {
  readonly cpus: number;
  readonly memoryMb: number;
  readonly gpus: number;
}

/** Jobs that are alike for a runner. */
export interface JobNeeds extends NodePart {
  /** From the start of one to the start of the next in its place. */
  readonly seconds: number;
}

/** The node of an allocation; one job at a time where a job has several nodes for itself. */
export interface FilledNode extends NodePart {
  readonly mostJobs: number;
}

/** What a runner does in its allocation. */
export interface AllocationUse {
  /** The jobs of each kind that it runs. */
  readonly taken: readonly number[];
  /** The most that they need at a time. */
  readonly peak: NodePart;
  /** When the last of them has ended. */
  readonly endSeconds: number;
}

/**
 * The jobs that a runner runs within its time if no other runner takes any, `left` of each kind.
 *
 * It takes them as the server assigns them: kinds in the order of claims (`byClaim`), each as often as the free resources allow, and
 * only what ends in time.
 */
export function fillAllocation(
  kinds: readonly JobNeeds[],
  left: readonly number[],
  node: FilledNode,
  usableSeconds: number,
): AllocationUse {
  const taken = kinds.map(() => 0);
  let free = { ...node };
  let running: { readonly endSeconds: number; readonly kind: JobNeeds; readonly jobs: number }[] = [];
  let peak: NodePart = { cpus: 0, memoryMb: 0, gpus: 0 };
  let nowSeconds = 0;
  for (;;) {
    for (const [at, kind] of kinds.entries()) {
      if (nowSeconds + kind.seconds > usableSeconds) continue;
      const jobs = Math.min((left[at] as number) - (taken[at] as number), roomFor(kind, free));
      if (jobs <= 0) continue;
      (taken[at] as number) += jobs;
      free = changed(free, kind, -jobs);
      running.push({ endSeconds: nowSeconds + kind.seconds, kind, jobs });
    }
    if (running.length === 0) return { taken, peak, endSeconds: nowSeconds };
    peak = {
      cpus: Math.max(peak.cpus, node.cpus - free.cpus),
      memoryMb: Math.max(peak.memoryMb, node.memoryMb === Infinity ? memoryOf(running) : node.memoryMb - free.memoryMb),
      gpus: Math.max(peak.gpus, node.gpus - free.gpus),
    };
    nowSeconds = smallest(running.map(({ endSeconds }) => endSeconds));
    for (const { endSeconds, kind, jobs } of running) if (endSeconds === nowSeconds) free = changed(free, kind, jobs);
    running = running.filter(({ endSeconds }) => endSeconds > nowSeconds);
  }
}

/** The order in which the server assigns jobs of equal priority. */
export const byClaim = (a: JobNeeds, b: JobNeeds): number => largestFirst(needOf(a), needOf(b));

const needOf = ({ cpus, memoryMb, gpus, seconds }: JobNeeds): Parameters<typeof largestFirst>[0] => ({
  num_cpus: cpus,
  memory_bytes: memoryMb * 2 ** 20,
  num_gpus: gpus,
  runtime_seconds: seconds,
});

const memoryOf = (running: readonly { readonly kind: JobNeeds; readonly jobs: number }[]): number =>
  running.reduce((sum, { kind, jobs }) => sum + kind.memoryMb * jobs, 0);

/** How many jobs of a kind fit into what is free. */
export function roomFor({ cpus, memoryMb, gpus }: JobNeeds, free: FilledNode): number {
  const times = [free.cpus / cpus, free.memoryMb / memoryMb, free.mostJobs, ...(gpus > 0 ? [free.gpus / gpus] : [])];
  // Sums of sizes such as 0.1 MB are not exact.
  return Math.floor(smallest(times) + 1e-9);
}

/** What is free after so many jobs of a kind ended, or started if fewer than 0. */
export const changed = (free: FilledNode, { cpus, memoryMb, gpus }: JobNeeds, jobs: number): FilledNode => ({
  cpus: free.cpus + cpus * jobs,
  memoryMb: free.memoryMb + memoryMb * jobs,
  gpus: free.gpus + gpus * jobs,
  mostJobs: free.mostJobs + jobs,
});

/** The most that several runners need at a time. */
export const peakOf = (fillings: readonly AllocationUse[]): NodePart => ({
  cpus: greatest(
    fillings.map(({ peak }) => peak.cpus),
    0,
  ),
  memoryMb: greatest(
    fillings.map(({ peak }) => peak.memoryMb),
    0,
  ),
  gpus: greatest(
    fillings.map(({ peak }) => peak.gpus),
    0,
  ),
});
