import type { FileOnDisk, JobWithFiles } from './out-of-date.ts';

/** Why a job cannot be taken as made. */
export type NotMade =
  | { readonly kind: 'missing'; readonly file: string }
  /** It has no outputs, and no job depends on it: nothing proves that it ran. */
  | { readonly kind: 'no outputs' }
  /** A job before it has to run. */
  | { readonly kind: 'job'; readonly job_name: string };

/** A job that has to run all the same. */
export interface LeftJob {
  readonly job_id: number;
  readonly job_name: string;
  readonly reason: NotMade;
}

export interface Adoption {
  /** Ids of the jobs that are taken as made. */
  readonly adopted: readonly number[];
  readonly left: readonly LeftJob[];
}

interface AdoptionFacts {
  readonly jobs: readonly JobWithFiles[];
  readonly files: readonly Pick<FileOnDisk, 'id' | 'path' | 'mtime'>[];
  /** Ids of the jobs that would run otherwise. */
  readonly open: ReadonlySet<number>;
}

/**
 * Which jobs that would run can be taken as made, because another program or an earlier workflow has made their outputs.
 *
 * A job has to run if an output is missing that no job reads, or that a job reads which has to run; if it has no outputs and nothing, or
 * something that has to run, depends on it; and behind a job that has to run. So intermediate files may be gone, as `temp()` of Snakemake
 * leaves them.
 */
export function adoptionOf({ jobs, files, open }: AdoptionFacts): Adoption {
  const paths = new Map(files.map(({ id, path }) => [id, path]));
  const there = new Set(files.flatMap(({ id, mtime }) => (mtime === undefined ? [] : [id])));
  const isRead = new Set(jobs.flatMap(({ input_file_ids: ids }) => ids ?? []));
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const dependents = new Map<number, number[]>();
  for (const { id, depends_on_job_ids: before } of jobs)
    for (const other of before ?? []) {
      const known = dependents.get(other);
      if (known === undefined) dependents.set(other, [id]);
      else known.push(id);
    }

  const left = new Map<number, NotMade>();
  const found: number[] = [];
  const leave = (id: number, reason: NotMade) => {
    if (!open.has(id) || left.has(id)) return;
    left.set(id, reason);
    found.push(id);
  };
  const missingOf = (id: number) => (byId.get(id)?.output_file_ids ?? []).filter((file) => !there.has(file));
  const missing = (file: number): NotMade => ({ kind: 'missing', file: paths.get(file) ?? '' });
  const hasNone = (id: number) => (byId.get(id)?.output_file_ids ?? []).length === 0;
  for (const id of open) {
    const lost = missingOf(id).find((file) => !isRead.has(file));
    if (lost !== undefined) leave(id, missing(lost));
    else if (hasNone(id) && !dependents.has(id)) leave(id, { kind: 'no outputs' });
  }
  for (let id = found.pop(); id !== undefined; id = found.pop()) {
    const { name, input_file_ids: inputs, depends_on_job_ids: before } = byId.get(id) as JobWithFiles;
    for (const dependent of dependents.get(id) ?? []) leave(dependent, { kind: 'job', job_name: name });
    const reads = new Set(inputs);
    for (const upstream of before ?? []) {
      const lost = missingOf(upstream).find((file) => reads.has(file));
      if (lost !== undefined) leave(upstream, missing(lost));
      else if (hasNone(upstream)) leave(upstream, { kind: 'no outputs' });
    }
  }
  return {
    adopted: jobs.flatMap(({ id }) => (open.has(id) && !left.has(id) ? [id] : [])),
    left: jobs.flatMap(({ id, name }) => {
      const reason = left.get(id);
      return reason === undefined ? [] : [{ job_id: id, job_name: name, reason }];
    }),
  };
}
