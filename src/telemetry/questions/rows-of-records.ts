import type { Uint } from '../../core/contract/sonar/kinds.ts';

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

export interface SlurmJobRow {
  readonly cluster: string;
  readonly job: Uint;
  readonly step: string;
  readonly state: string;
  readonly user: string;
  readonly account: string;
  readonly partition: string;
  readonly submit: number | undefined;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly seen: number;
  /** The merged row (`jobs/merge.ts`) as JSON. */
  readonly fields: string;
}

/** A process of a runner, and the attempt at a workflow job that it belongs to (ADR 46). */
export interface AttemptLink {
  readonly cluster: string;
  readonly node: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly pid: Uint;
  /** Start of the process in ticks after boot. */
  readonly start: Uint;
  readonly time: number;
  readonly workflow: number;
  readonly workflowJob: number;
  readonly run: number;
  readonly attempt: number;
  readonly slurmJob?: Uint | undefined;
  readonly step?: string | undefined;
}
