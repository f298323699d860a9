import type { JobStatus } from '../../job/job-statuses.ts';
import { isOneOf, RUNS_AGAIN, SETTLED, UNSUCCESSFUL } from '../../job/statuses.ts';
import { reachedFrom } from './downstream.ts';
import {
  changedJobs,
  outrunJobs,
  type FileCause,
  type FileOnDisk,
  type PlanFacts,
  type JobWithFiles,
  missingAs,
} from './out-of-date.ts';

export type RerunReason =
  | FileCause
  | { readonly kind: 'user_data' }
  /** A person named it. */
  | { readonly kind: 'forced' }
  /** A job that it waits for runs again. */
  | { readonly kind: 'job'; readonly job_id: number; readonly job_name: string }
  /** It has run before a job that it waits for ran again: that one was chosen, and this one was not. */
  | { readonly kind: 'outrun'; readonly job_id: number; readonly job_name: string }
  /** It has not run yet, or did not end by itself. */
  | { readonly kind: 'status'; readonly status: JobStatus };

/** A job that would run, and why. */
export interface Rerun {
  readonly job_id: number;
  readonly job_name: string;
  readonly status: JobStatus;
  readonly reasons: readonly RerunReason[];
}

export interface Reruns {
  readonly run: readonly Rerun[];
  /** Jobs that would be canceled, because a job that they wait for failed and does not run again. */
  readonly canceled: readonly JobWithFiles[];
  /** Jobs that failed and stay as they are. */
  readonly failed: readonly JobWithFiles[];
}

/** Which jobs run beside those that their files and values make run. */
export interface RerunRules {
  /** None for its status alone. */
  readonly onlyChanges?: boolean;
  /**
   * A missing output makes its job run only where no job reads it, or where a job reads it that runs (`torc run`). Without this it does
   * in any case, as in Torc.
   */
  readonly sparesMakers?: boolean;
  /** Ids of files that are read by jobs which run for another reason, and are not among the given ones as they will be. */
  readonly alsoRead?: readonly number[];
  /** Ids of jobs that a person named. */
  readonly forced?: readonly number[];
  /** Ids of jobs that did not end well, and that are wanted. */
  readonly again?: readonly number[];
}

/**
 * What would run, and why: the one answer for `run`, `run --update`, `reinit` and `recover`. Jobs whose inputs, outputs or values have
 * changed since they ended, and everything downstream of them; and, unless `onlyChanges` is set, those that have not ended by themselves,
 * which an initialization makes ready too.
 *
 * In the order of the given jobs. It predicts what the server does: `submit/initialize`, `submit/update`.
 */
export function rerunsOf(
  facts: PlanFacts,
  { onlyChanges = false, sparesMakers = false, alsoRead = [], forced = [], again = [] }: RerunRules = {},
): Reruns {
  const { jobs, changedUserData } = facts;
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const { upstream, downstream } = neighbours(jobs);
  const dependentsOf = (id: number) => downstream.get(id) ?? [];
  const found = new Map<number, RerunReason[]>(changedJobs(facts));
  const makers = spareMakers(facts, found, ({ temporary }) => sparesMakers || temporary === true);
  const add = (id: number, reason: RerunReason) => {
    const known = found.get(id);
    if (known === undefined) found.set(id, [reason]);
    else known.push(reason);
  };

  const named = new Set(changedUserData);
  const isDisabled = (id: number) => byId.get(id)?.status === 'disabled';
  for (const { id, name } of jobs) if (named.has(name) && !isDisabled(id)) add(id, { kind: 'user_data' });
  for (const { id, status } of onlyChanges ? [] : jobs)
    if (status === 'uninitialized') add(id, { kind: 'status', status });

  if (sparesMakers)
    for (const [id, other] of outrunJobs(jobs)) add(id, { kind: 'outrun', job_id: other.id, job_name: other.name });

  for (const id of forced) if (!isDisabled(id)) add(id, { kind: 'forced' });
  for (const id of again) add(id, { kind: 'status', status: byId.get(id)?.status ?? 'failed' });
  const open = [...found.keys()];
  const addMakers = (files: Iterable<number>) => {
    for (const [maker, { path, ...file }] of makers(files)) {
      if (!found.has(maker)) open.push(maker);
      add(maker, { kind: 'output', file: path, change: missingAs({ path, ...file }) });
    }
  };

  // Everything downstream of what is uninitialized then runs again too. A disabled job stays as it is.
  addMakers(alsoRead);
  for (const { id, status, input_file_ids: inputs } of jobs)
    if (!isOneOf(SETTLED, status) && !found.has(id)) addMakers(inputs ?? []);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    addMakers(byId.get(id)?.input_file_ids ?? []);
    for (const dependent of dependentsOf(id)) {
      if (isDisabled(dependent)) continue;
      if (!found.has(dependent)) open.push(dependent);
      add(dependent, { kind: 'job', job_id: id, job_name: byId.get(id)?.name ?? '' });
    }
  }
  const isUninitialized = new Set(found.keys());
  for (const { id, status } of onlyChanges ? [] : jobs)
    if (RUNS_AGAIN.has(status) && !found.has(id)) add(id, { kind: 'status', status });

  // What waits for a disabled job does not run. A job that was ready before stays ready.
  const disabled = jobs.flatMap(({ id, status }) => (status === 'disabled' ? [id] : []));
  const waits = (id: number) => found.has(id) && (byId.get(id)?.status !== 'ready' || isUninitialized.has(id));
  for (const id of reachedFrom(disabled, dependentsOf, waits)) found.delete(id);

  const canceled = canceledOf(jobs, found, upstream, dependentsOf);
  const rewritten = new Set<string>();
  const paths = new Map(facts.files.map(({ id, path }) => [id, path]));
  for (const { id, output_file_ids: outputs } of jobs)
    if (found.has(id)) for (const each of outputs ?? []) rewritten.add(paths.get(each) ?? '');
  return {
    run: jobs.flatMap(({ id, name, status }) => {
      const reasons = found.get(id);
      return reasons === undefined || canceled.has(id)
        ? []
        : [{ job_id: id, job_name: name, status, reasons: reporting(reasons, rewritten) }];
    }),
    canceled: jobs.filter(({ id }) => canceled.has(id)),
    failed: jobs.filter(({ id, status }) => status === 'failed' && !found.has(id)),
  };
}

/** The jobs that completed and wrote one of these files, if it is missing and no reason yet, each with its path. */
type MakersOf = (files: Iterable<number>) => [job: number, file: FileOnDisk][];

const isMissing = ({ change }: FileCause): boolean =>
  change === 'missing' || change === 'deleted' || change === 'cleaned';

/** Takes out of the reasons each missing file that a job reads and another one made: it is none as long as no reader runs. */
function spareMakers(
  { jobs, files }: PlanFacts,
  found: Map<number, RerunReason[]>,
  isSpared: (file: FileOnDisk) => boolean,
): MakersOf {
  const missing = new Map(
    files.flatMap((file) => (file.mtime === undefined && isSpared(file) ? [[file.id, file] as const] : [])),
  );
  if (missing.size === 0) return () => [];
  const isRead = new Set(jobs.flatMap(({ input_file_ids: ids }) => ids ?? []));
  const makerOf = new Map<number, number>();
  for (const { id, status, output_file_ids: outputs } of jobs)
    if (status === 'completed')
      for (const each of outputs ?? []) if (missing.has(each) && isRead.has(each)) makerOf.set(each, id);
  const spared = new Set([...makerOf.keys()].map((file) => missing.get(file)?.path));
  for (const [id, reasons] of found) {
    const kept = reasons.filter((reason) => !('change' in reason) || !isMissing(reason) || !spared.has(reason.file));
    if (kept.length === 0) found.delete(id);
    else found.set(id, kept);
  }
  return (ids) =>
    [...ids].flatMap((file): [number, FileOnDisk][] => {
      const maker = makerOf.get(file);
      if (maker === undefined) return [];
      makerOf.delete(file);
      return [[maker, missing.get(file) as FileOnDisk]];
    });
}

/**
 * Jobs that would run if no job that they wait for had failed, and those downstream of them.
 *
 * An initialization counts a failed job as ended, as Torc does: a job runs whose dependencies have all ended. It is canceled
 * only when it still waits for another job, at the end of that one.
 */
function canceledOf(
  jobs: readonly JobWithFiles[],
  found: ReadonlyMap<number, unknown>,
  upstream: ReadonlyMap<number, readonly number[]>,
  dependentsOf: (id: number) => Iterable<number>,
): Set<number> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const hasFailed = (id: number) => !found.has(id) && isOneOf(UNSUCCESSFUL, byId.get(id)?.status);
  const isCancelable = (id: number) => found.has(id) && byId.get(id)?.cancel_on_blocking_job_failure !== false;
  const open = jobs.flatMap(({ id }) => {
    const before = upstream.get(id) ?? [];
    return isCancelable(id) && before.some(hasFailed) && before.some((other) => found.has(other)) ? [id] : [];
  });
  return new Set([...open, ...reachedFrom(open, dependentsOf, isCancelable)]);
}

/** Without an input that changes because the job that writes it runs again: that job is named as well. */
function reporting(reasons: readonly RerunReason[], rewritten: ReadonlySet<string>): RerunReason[] {
  const others = reasons.filter((reason) => reason.kind !== 'input' || !rewritten.has(reason.file));
  return others.length > 0 ? others : [...reasons];
}

function neighbours(jobs: readonly JobWithFiles[]) {
  const upstream = new Map(jobs.map(({ id, depends_on_job_ids: ids }) => [id, ids ?? []]));
  const downstream = new Map<number, number[]>();
  for (const [job, before] of upstream)
    for (const other of before) {
      const known = downstream.get(other);
      if (known === undefined) downstream.set(other, [job]);
      else known.push(job);
    }
  return { upstream, downstream };
}
