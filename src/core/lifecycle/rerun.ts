import type { JobStatus } from '../job/job-statuses.ts';
import { isOneOf, KEEPS_ITS_END, RUNS_AGAIN, UNSUCCESSFUL } from '../job/statuses.ts';

/** A job, as far as a reinitialization depends on it. */
interface JobState {
  readonly id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly cancel_on_blocking_job_failure?: boolean | null | undefined;
}

/** How a file differs from what is stored about it. */
export type FileChange = 'newer' | 'older' | 'new' | 'missing';

export type RerunReason =
  | { readonly kind: 'input' | 'output'; readonly file: string; readonly change: FileChange }
  | { readonly kind: 'user_data' }
  /** A job that it waits for runs again. */
  | { readonly kind: 'job'; readonly job_id: number; readonly job_name: string }
  /** It has not run yet, or did not end by itself. */
  | { readonly kind: 'status'; readonly status: JobStatus };

/** A job that runs after a reinitialization, and why. */
export interface Rerun {
  readonly job_id: number;
  readonly job_name: string;
  readonly status: JobStatus;
  readonly reasons: readonly RerunReason[];
}

export interface RerunFacts {
  readonly jobs: readonly JobState[];
  readonly dependencies: Iterable<{ readonly job_id: number; readonly depends_on_job_id: number }>;
  /** Files that jobs read or write and that differ from what is stored. */
  readonly files: readonly {
    readonly path: string;
    readonly change: FileChange;
    readonly producers: readonly number[];
    readonly consumers: readonly number[];
  }[];
  /** Names of jobs that read user data which changed. */
  readonly changedUserData: readonly string[];
}

export interface Reruns {
  readonly run: readonly Rerun[];
  /** Jobs that would be canceled, because a job that they wait for failed and does not run again. */
  readonly canceled: readonly JobState[];
  /** Jobs that failed and stay as they are. */
  readonly failed: readonly JobState[];
}

/**
 * The jobs that would run after `workflows reinit`, in the order of the given jobs, with the reasons.
 *
 * It predicts what the preparation and the initialization of the server do: `prepareChanged`, `submit/initialize`.
 */
export function rerunsOf({ jobs, dependencies, files, changedUserData }: RerunFacts): Reruns {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const { upstream, downstream } = neighbours(dependencies);
  const found = new Map<number, RerunReason[]>();
  const add = (id: number, reason: RerunReason) => {
    const known = found.get(id);
    if (known === undefined) found.set(id, [reason]);
    else known.push(reason);
  };

  for (const { path: file, change, producers, consumers } of files) {
    for (const id of consumers)
      if (isOneOf(KEEPS_ITS_END, byId.get(id)?.status)) add(id, { kind: 'input', file, change });
    if (change === 'missing')
      for (const id of producers) if (byId.get(id)?.status === 'completed') add(id, { kind: 'output', file, change });
  }
  const named = new Set(changedUserData);
  const isDisabled = (id: number) => byId.get(id)?.status === 'disabled';
  for (const { id, name } of jobs) if (named.has(name) && !isDisabled(id)) add(id, { kind: 'user_data' });
  for (const { id, status } of jobs) if (status === 'uninitialized') add(id, { kind: 'status', status });

  // Everything downstream of what is uninitialized then runs again too. A disabled job stays as it is.
  const open = [...found.keys()];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of downstream.get(id) ?? []) {
      if (isDisabled(dependent)) continue;
      if (!found.has(dependent)) open.push(dependent);
      add(dependent, { kind: 'job', job_id: id, job_name: byId.get(id)?.name ?? '' });
    }
  }
  const isUninitialized = new Set(found.keys());
  for (const { id, status } of jobs) if (RUNS_AGAIN.has(status) && !found.has(id)) add(id, { kind: 'status', status });

  // What waits for a disabled job does not run. A job that was ready before stays ready.
  const disabled = jobs.flatMap(({ id, status }) => (status === 'disabled' ? [id] : []));
  const waits = (id: number) => found.has(id) && (byId.get(id)?.status !== 'ready' || isUninitialized.has(id));
  for (const id of reachedFrom(disabled, downstream, waits)) found.delete(id);

  const canceled = canceledOf(jobs, found, upstream, downstream);
  return {
    run: jobs.flatMap(({ id, name, status }) => {
      const reasons = found.get(id);
      return reasons === undefined || canceled.has(id)
        ? []
        : [{ job_id: id, job_name: name, status, reasons: reporting(reasons, files, found) }];
    }),
    canceled: jobs.filter(({ id }) => canceled.has(id)),
    failed: jobs.filter(({ id, status }) => status === 'failed' && !found.has(id)),
  };
}

/**
 * Jobs that would run if no job that they wait for had failed, and those downstream of them.
 *
 * An initialization counts a failed job as ended, as Torc does: a job runs whose dependencies have all ended. It is canceled
 * only when it still waits for another job, at the end of that one.
 */
function canceledOf(
  jobs: readonly JobState[],
  found: ReadonlyMap<number, unknown>,
  upstream: ReadonlyMap<number, readonly number[]>,
  downstream: ReadonlyMap<number, readonly number[]>,
): Set<number> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const hasFailed = (id: number) => !found.has(id) && isOneOf(UNSUCCESSFUL, byId.get(id)?.status);
  const isCancelable = (id: number) => found.has(id) && byId.get(id)?.cancel_on_blocking_job_failure !== false;
  const open = jobs.flatMap(({ id }) => {
    const before = upstream.get(id) ?? [];
    return isCancelable(id) && before.some(hasFailed) && before.some((other) => found.has(other)) ? [id] : [];
  });
  return new Set([...open, ...reachedFrom(open, downstream, isCancelable)]);
}

/** The jobs downstream of some, without these, along jobs that `isPassed` accepts. */
function reachedFrom(
  ids: readonly number[],
  downstream: ReadonlyMap<number, readonly number[]>,
  isPassed: (id: number) => boolean,
): Set<number> {
  const reached = new Set<number>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of downstream.get(id) ?? []) {
      if (reached.has(dependent) || !isPassed(dependent)) continue;
      reached.add(dependent);
      open.push(dependent);
    }
  }
  return reached;
}

/** Without an input that changes because the job that writes it runs again: that job is named as well. */
function reporting(
  reasons: readonly RerunReason[],
  files: RerunFacts['files'],
  found: ReadonlyMap<number, unknown>,
): RerunReason[] {
  const rewritten = new Set(
    files.filter(({ producers }) => producers.some((id) => found.has(id))).map(({ path }) => path),
  );
  const others = reasons.filter((reason) => reason.kind !== 'input' || !rewritten.has(reason.file));
  return others.length > 0 ? others : [...reasons];
}

function neighbours(dependencies: RerunFacts['dependencies']) {
  const upstream = new Map<number, number[]>();
  const downstream = new Map<number, number[]>();
  const add = (map: Map<number, number[]>, key: number, value: number) => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [value]);
    else known.push(value);
  };
  for (const { job_id: job, depends_on_job_id: other } of dependencies) {
    add(upstream, job, other);
    add(downstream, other, job);
  }
  return { upstream, downstream };
}
