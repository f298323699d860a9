import type { JobDependency } from '../contract/job.ts';
import type { Result } from '../contract/result.ts';
import type { UsedJob } from '../lifecycle/resources/used-jobs.ts';
import { parseMoment } from '../quantity/moment.ts';
import { smallest } from '../quantity/extremes.ts';

/** A job with an amount of something. */
export interface Ranked {
  readonly job: UsedJob;
  readonly amount: number;
}

/** The jobs with the greatest amounts, without those that have none. */
export function mostOf(
  jobs: readonly UsedJob[],
  amountOf: (job: UsedJob) => number | undefined,
  atMost: number,
): Ranked[] {
  let most: Ranked[] = [];
  for (const job of jobs) {
    const amount = amountOf(job) ?? 0;
    if (amount <= 0 || (most.length === atMost && amount <= (most.at(-1)?.amount ?? 0))) continue;
    most = [...most, { job, amount }].toSorted((one, other) => other.amount - one.amount).slice(0, atMost);
  }
  return most;
}

/**
 * Seconds that each job waited for a place: from the end of what it depends on, or from the first start of the run, to its own
 * start. Known for jobs that needed one attempt.
 */
export function waitsOf(jobs: readonly UsedJob[], dependencies: readonly JobDependency[]): Map<number, number> {
  const times = new Map(
    jobs.flatMap(({ id, result }) => {
      const end = result && parseMoment(result.completion_time);
      return result === undefined || end === undefined ? [] : [[id, { start: startOf(result, end), end }] as const];
    }),
  );
  const ready = new Map<number, number>();
  for (const { job_id: id, depends_on_job_id: upstream } of dependencies) {
    const end = times.get(upstream)?.end;
    if (end !== undefined) ready.set(id, Math.max(ready.get(id) ?? 0, end));
  }
  const begin = smallest([...times.values()].map(({ start }) => start));
  return new Map(
    jobs.flatMap(({ id, result }) => {
      const start = times.get(id)?.start;
      if (start === undefined || (result?.attempt_id ?? 1) > 1) return [];
      return [[id, Math.max(0, start - (ready.get(id) ?? begin)) / 1000] as const];
    }),
  );
}

const startOf = ({ exec_time_minutes: minutes }: Result, endMs: number): number =>
  endMs - Math.max(0, minutes) * 60_000;
