import type { JobUse } from './correct-resources.ts';
import { lackOf, lacksAnything, type Limits } from './resource-use.ts';

/**
 * Of jobs that share requirements, those that decide what `correctResources` makes of all of them: some dozens, however
 * many share them. A workflow of a million jobs is then judged as fast as one of a hundred.
 *
 * They are those that used most of each resource, the same among those that lacked something in the same way, and one that
 * forbids to lower the requirements: not completed, or not measured.
 */
export interface Representatives {
  add(job: JobUse): void;
  /** Jobs that lacked something. */
  readonly lacking: number;
  readonly jobs: readonly JobUse[];
}

export function createRepresentatives(limits: Limits): Representatives {
  const kept = new Map<string, { readonly job: JobUse; readonly value: number }>();
  const keep = (key: string, value: number, job: JobUse) => {
    const before = kept.get(key);
    if (before === undefined || value > before.value) kept.set(key, { job, value });
  };
  let lacking = 0;
  return {
    add(job) {
      const { use, isCompleted } = job;
      if (use === undefined || !use.isSuccess || !isCompleted) keep('unfinished', 0, job);
      if (use === undefined) return;
      const lack = lackOf(limits, use);
      if (lacksAnything(lack)) lacking += 1;
      const { memory, timeout, cpu, runtime } = lack;
      for (const group of ['all', JSON.stringify([memory, timeout, cpu, runtime])]) {
        keep(`${group} memory`, use.peakMemoryBytes ?? 0, job);
        keep(`${group} cpu`, use.peakCpuPercent ?? 0, job);
        keep(`${group} time`, use.seconds, job);
      }
      if (!use.peakMemoryBytes) keep('no memory', 0, job);
      if (!use.peakCpuPercent) keep('no cpu', 0, job);
    },
    get lacking() {
      return lacking;
    },
    get jobs() {
      return [...new Set([...kept.values()].map(({ job }) => job))];
    },
  };
}
