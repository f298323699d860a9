import type { JobGroup } from './job-group.ts';
import type { KeptScheduler } from './kept-scheduler.ts';

/** A job that waits to run, as the server has it. */
export interface PendingJob {
  readonly id: number;
  readonly name: string;
  readonly requirementsId: number;
  readonly isLabelled: boolean;
  /** Whose allocations it would have used. */
  readonly kept?: KeptScheduler | undefined;
  /** It waits for a job that only a person makes ready. */
  readonly isStuck: boolean;
}

/** What jobs with these requirements need. */
interface Needs extends Pick<JobGroup, 'cpus' | 'memoryMb' | 'gpus' | 'nodes' | 'runtimeSeconds'> {
  readonly name: string;
}

/** `job` waits for `upstream`, which has not ended. */
export interface OpenEdge {
  readonly job: number;
  readonly upstream: number;
}

export interface PendingGroups {
  readonly groups: readonly JobGroup[];
  readonly warnings: readonly string[];
  /** As `planSchedulers` wants it; jobs are numbered by their place in the list. */
  readonly waitsFor: (isOne: (job: number) => boolean) => (job: number) => boolean;
}

/** The jobs that wait to run in groups of the same requirements; those that wait for others stand apart. */
export function groupPending(
  jobs: readonly PendingJob[],
  needs: ReadonlyMap<number, Needs>,
  edges: readonly OpenEdge[],
): PendingGroups {
  const numbers = new Map(jobs.map(({ id }, number) => [id, number]));
  const waiting = new Set(edges.map(({ job }) => job));
  const upstream = new Map<number, number[]>();
  for (const { job, upstream: other } of edges) {
    const [number, before] = [numbers.get(job), numbers.get(other)];
    if (number === undefined || before === undefined) continue;
    const known = upstream.get(number);
    if (known === undefined) upstream.set(number, [before]);
    else known.push(before);
  }
  const byKey = new Map<string, JobGroup & { jobs: { name: string; number: number }[] }>();
  let labelled = 0;
  let withoutNeeds = 0;
  let stuck = 0;
  for (const [number, { id, name, requirementsId, isLabelled, isStuck, kept }] of jobs.entries()) {
    const need = needs.get(requirementsId);
    if (isStuck) stuck += 1;
    else if (isLabelled) labelled += 1;
    else if (need === undefined) withoutNeeds += 1;
    else {
      const isDeferred = waiting.has(id);
      const key = `${requirementsId} ${isDeferred} ${kept?.id}`;
      const { name: requirements, ...amounts } = need;
      const group = byKey.get(key) ?? { requirements: [requirements], ...amounts, isDeferred, kept, jobs: [] };
      byKey.set(key, group);
      group.jobs.push({ name, number });
    }
  }
  return {
    groups: [...byKey.values()],
    warnings: [
      ...(labelled === 0
        ? []
        : [
            `${labelled} job(s) with labels are left out: runners take them only with --label, so submit their allocations yourself`,
          ]),
      ...(stuck === 0
        ? []
        : [`${stuck} job(s) are left out: they wait for jobs that are disabled or wait for a decision`]),
      ...(withoutNeeds === 0 ? [] : [`${withoutNeeds} job(s) have no resource requirements and are left out`]),
    ],
    waitsFor: (isOne) => (job) => (upstream.get(job) ?? []).some(isOne),
  };
}
