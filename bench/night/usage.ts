import { type Allocation, type Attempt, type Kill, killsOf, type RunJob } from './records.ts';

/** Core seconds: what was paid for, and where it went. All parts together are `paid`. */
export interface Usage {
  readonly paid: number;
  /** Attempts that completed their jobs. */
  readonly used: number;
  /** Attempts that were killed, and those that did work again. */
  readonly lost: number;
  /** From a kill that ended an allocation until Slurm ended it. */
  readonly afterKill: number;
  /** From the start of an allocation to its first job; all of one in which no job began. */
  readonly starting: number;
  /** From the last job of an allocation to its end. */
  readonly tail: number;
  /** The rest: CPUs without a job between others. */
  readonly between: number;
  /** What was paid while work was there: the smaller of the allocated CPUs and the jobs that could run, at each moment. */
  readonly withWork: number;
}

/** Where the paid time of all allocations went. A job takes one CPU. */
export function usageOf(allocations: readonly Allocation[], jobs: readonly RunJob[], kills: readonly Kill[]): Usage {
  const spans = jobs.flatMap((job) =>
    job.attempts.map((each) => ({
      each,
      isCounted: each === countedOf(job),
      endMs: endOf(each, job.id, { allocations, kills }),
    })),
  );
  const parts = { paid: 0, used: 0, lost: 0, afterKill: 0, starting: 0, tail: 0 };
  for (const { each, isCounted, endMs } of spans) parts[isCounted ? 'used' : 'lost'] += endMs - each.beganMs;
  for (const { id, cpus, startMs, endMs } of allocations) {
    const own = spans.filter(({ each }) => each.allocation === id && each.beganMs >= startMs && each.beganMs <= endMs);
    const kill = kills.find(
      (each) => each.endsAllocation && each.allocations.includes(id) && isIn(each, startMs, endMs),
    );
    const deadMs = Math.max(startMs, kill?.fromMs ?? endMs);
    const firstMs = Math.min(deadMs, ...own.map(({ each }) => each.beganMs));
    const lastMs = Math.max(firstMs, ...own.map((span) => span.endMs));
    parts.paid += cpus * (endMs - startMs);
    parts.starting += cpus * Math.max(0, firstMs - startMs);
    // Jobs that lived on after the kill are counted as lost.
    const livedOn = own.reduce(
      (sum, { each, endMs: until }) => sum + Math.max(0, until - Math.max(deadMs, each.beganMs)),
      0,
    );
    if (kill === undefined) parts.tail += cpus * Math.max(0, endMs - lastMs);
    else parts.afterKill += cpus * (endMs - deadMs) - livedOn;
  }
  const { paid, used, lost, afterKill, starting, tail } = parts;
  const between = paid - used - lost - afterKill - starting - tail;
  const all = { ...parts, between, withWork: withWork(allocations, jobs) };
  return Object.fromEntries(Object.entries(all).map(([part, ms]) => [part, ms / 1000])) as unknown as Usage;
}

/** A requeued allocation runs again under its id. */
const isIn = ({ fromMs, untilMs }: Kill, startMs: number, endMs: number) => untilMs >= startMs && fromMs <= endMs;

/** The attempt that completed the job. */
const countedOf = ({ attempts, completedIn: [completed] }: RunJob): Attempt | undefined =>
  attempts.find(({ run, attempt }) => run === completed?.run && attempt === completed.attempt);

/** Of an attempt without a last line nothing but its kill, or the end of its allocation, says when it ended. */
function endOf(
  attempt: Attempt,
  jobId: number,
  { allocations, kills }: { readonly allocations: readonly Allocation[]; readonly kills: readonly Kill[] },
): number {
  if (attempt.doneMs !== undefined) return attempt.doneMs;
  const { allocation, beganMs } = attempt;
  const ends = allocations.filter(({ id, endMs }) => id === allocation && endMs >= beganMs).map(({ endMs }) => endMs);
  const killed = killsOf(attempt, jobId, kills).map(({ untilMs }) => untilMs);
  const first = Math.min(...ends, ...killed);
  return Number.isFinite(first) ? first : beganMs;
}

/** The integral of the smaller of two numbers: allocated CPUs, and jobs that wait for no other job and are not done. */
function withWork(allocations: readonly Allocation[], jobs: readonly RunJob[]): number {
  const doneMs = new Map(jobs.map((job) => [job.name, countedOf(job)?.doneMs ?? Infinity]));
  const changes = [
    ...allocations.flatMap(({ cpus, startMs, endMs }) => [
      { atMs: startMs, cpus, jobs: 0 },
      { atMs: endMs, cpus: -cpus, jobs: 0 },
    ]),
    ...jobs.flatMap(({ name, dependsOn }) => {
      const readyMs = Math.max(0, ...dependsOn.map((each) => doneMs.get(each) ?? 0));
      return [
        { atMs: readyMs, cpus: 0, jobs: 1 },
        { atMs: doneMs.get(name) as number, cpus: 0, jobs: -1 },
      ];
    }),
  ].sort((one, other) => one.atMs - other.atMs);
  let [sum, cpus, open, atMs] = [0, 0, 0, 0];
  for (const change of changes) {
    if (!Number.isFinite(change.atMs)) break;
    sum += Math.min(cpus, open) * (change.atMs - atMs);
    cpus += change.cpus;
    open += change.jobs;
    ({ atMs } = change);
  }
  return sum;
}
