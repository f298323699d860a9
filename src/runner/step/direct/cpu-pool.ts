import { readFileSync } from 'node:fs';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';

/** The CPUs of a node, leased to steps so that no two of them share one. */
export interface CpuPool {
  /** The CPUs for a step; undefined if it is not bound: its job limits nothing, or too few CPUs are free. */
  take(id: StepId, job: Pick<ClaimedJob, 'need' | 'resource_requirements_id'>): readonly number[] | undefined;
  release(id: StepId): void;
}

/**
 * Leases neighbouring CPUs where it can: those of one core or socket have neighbouring numbers on most machines.
 *
 * `isLimited` says whether a job asked for CPUs itself; one that did not is not bound.
 */
export function createCpuPool(
  cpus: readonly number[],
  isLimited: (job: Pick<ClaimedJob, 'need' | 'resource_requirements_id'>) => boolean,
): CpuPool {
  const free = new Set(cpus);
  const taken = new Map<StepId, readonly number[]>();
  return {
    take(id, job) {
      const count = job.need.num_cpus;
      if (!isLimited(job) || count <= 0 || count > free.size) return undefined;
      const chosen = neighbours(
        [...free].toSorted((a, b) => a - b),
        count,
      );
      for (const cpu of chosen) free.delete(cpu);
      taken.set(id, chosen);
      return chosen;
    },
    release(id) {
      for (const cpu of taken.get(id) ?? []) free.add(cpu);
      taken.delete(id);
    },
  };
}

/** The first run of consecutive numbers of this length, otherwise the lowest ones. */
function neighbours(sorted: readonly number[], count: number): readonly number[] {
  for (let at = 0; at + count <= sorted.length; at += 1) {
    if ((sorted[at + count - 1] as number) - (sorted[at] as number) === count - 1) return sorted.slice(at, at + count);
  }
  return sorted.slice(0, count);
}

/** The numbers in a list such as `0-3,8`, as the kernel prints it. */
export const cpuNumbers = (list: string): number[] =>
  list
    .trim()
    .split(',')
    .flatMap((part) => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
      if (first === undefined) return [];
      return Array.from({ length: Math.max(0, Number(last) - Number(first) + 1) }, (_, at) => Number(first) + at);
    });

/** The CPUs on which this process may run. */
export function allowedCpus(): number[] {
  try {
    return cpuNumbers(/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');
  } catch {
    return [];
  }
}

/**
 * The CPUs to which jobs are bound on this node; undefined if they are not.
 *
 * Only if Slurm gave this process as many CPUs as the allocation has here: with more, other allocations use some of
 * them, and two runners would choose the same ones.
 */
export function bindableCpus(
  allowed: readonly number[],
  cpusOnNode: number | undefined,
): readonly number[] | undefined {
  return allowed.length > 0 && allowed.length === cpusOnNode ? allowed : undefined;
}
