import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { type CellsOfRow, numberCell, optional, textCell, uint } from './cells.ts';

/** Rows of what is no sample: nodes with their hardware, records of Slurm jobs, and links to workflows. */

/** Which Slurm jobs; times are Unix times, and an absent one selects all. A job that has not ended lasts until `now`. */
export interface JobFilter {
  readonly user?: string | undefined;
  readonly states?: readonly string[] | undefined;
  readonly job?: Uint | undefined;
  readonly submitAfter?: number | undefined;
  readonly submitBefore?: number | undefined;
  readonly startAfter?: number | undefined;
  readonly startBefore?: number | undefined;
  readonly endAfter?: number | undefined;
  readonly endBefore?: number | undefined;
  readonly leastSeconds?: number | undefined;
  readonly mostSeconds?: number | undefined;
  readonly now: number;
  readonly offset: number;
  readonly limit: number;
}

export interface SelectedSlurmJobs {
  /** Of all that the filter selects. */
  readonly total: number;
  readonly jobs: readonly SlurmJobRow[];
}

export interface NodeInfo {
  readonly cluster: string;
  readonly node: string;
  /** Of its newest sysinfo. */
  readonly time: number | undefined;
  /** Of its newest sample. */
  readonly sampled: number | undefined;
  /** The attributes of its sysinfo without time, cluster, node and topology. */
  readonly info: Readonly<Record<string, unknown>>;
}

/** A record of a Slurm job or step. */
export const slurmJobRowOf = (row: CellsOfRow, cluster: string) => ({
  cluster,
  job: uint(row, 'job_id') ?? 0,
  step: textCell(row, 'step'),
  state: textCell(row, 'state'),
  user: textCell(row, 'user'),
  account: textCell(row, 'account'),
  partition: textCell(row, 'partition'),
  submit: optional(row, 'submit'),
  start: optional(row, 'start'),
  end: optional(row, 'end'),
  seen: numberCell(row, 'seen'),
  /** The merged row (`jobs/merge.ts`) as JSON. */
  fields: textCell(row, 'fields'),
});
export type SlurmJobRow = Readonly<ReturnType<typeof slurmJobRowOf>>;

/** A process of a runner, and the attempt at a workflow job that it belongs to (ADR 46). */
export const linkOf = (row: CellsOfRow, cluster: string) => ({
  cluster,
  node: textCell(row, 'node_name'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  pid: uint(row, 'pid') ?? 0,
  /** Start of the process in ticks after boot. */
  start: uint(row, 'start') ?? 0,
  time: numberCell(row, 'time'),
  workflow: numberCell(row, 'workflow'),
  workflowJob: numberCell(row, 'workflow_job'),
  run: numberCell(row, 'run'),
  attempt: numberCell(row, 'attempt'),
  slurmJob: uint(row, 'slurm_job'),
  step: row['step'] === null ? undefined : textCell(row, 'step'),
});
type Link = ReturnType<typeof linkOf>;
export type AttemptLink = Readonly<Omit<Link, 'slurmJob' | 'step'> & Partial<Pick<Link, 'slurmJob' | 'step'>>>;
