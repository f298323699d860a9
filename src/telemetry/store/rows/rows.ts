import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { ClosedJobHours, JobHour, NodeHour } from './hours.ts';
import type { JobFilter, AttemptLink, NodeInfo, SelectedSlurmJobs, SlurmJobRow } from './records.ts';
import type {
  CardSample,
  DiskSample,
  JobSampleRow,
  NodeSampleRow,
  ProcessCard,
  ProcessRow,
  SampleSum,
  SampleTime,
  SumsBy,
} from './samples.ts';

/**
 * What questions are answered from: rows of a store, whatever holds them. Times are Unix times; `until` is not part of a
 * window. Rows without an end come in portions of any length, so that a week of a cluster needs no memory.
 */
export interface TelemetryRows {
  /** The clusters of a window: the one that is named, or all, by name. */
  clusterNames(name: string | undefined): Promise<readonly string[]>;
  /**
   * Processes in the order of time, then of envelopes, entries and processes, cluster by cluster. Of one job, if it is named.
   * Where two producers send samples of one node, the rows of one of them: the one that samples the whole node, then the
   * one with more samples.
   */
  processes(window: AskedWindow, key?: JobKey): Portions<ProcessRow>;
  /**
   * Sums over the processes of each sample, in the order of time: of all, of each job, or of each process. Of one job, if it is
   * named; of nodes always all, also samples without a process. Of two producers those of one, as with `processes`.
   */
  sampleSums(window: AskedWindow, by: SumsBy, key?: JobKey): Portions<SampleSum>;
  /**
   * What the entries of one job in samples say, in the order of time, then of envelopes and entries. Of two producers those of one, as with
   * `processes`.
   */
  jobSamples(window: AskedWindow, key: JobKey): Portions<JobSampleRow>;
  /** What processes use of cards, in the order of time. */
  processCards(window: AskedWindow, key?: JobKey): Portions<ProcessCard>;
  /** The time of the first sample of each node in a window, by cluster and node, with a blank between. */
  firstSamples(window: AskedWindow): Promise<ReadonlyMap<string, number>>;
  /** The times of samples, in the order of clusters, nodes and times. */
  sampleTimes(window: AskedWindow): Promise<readonly SampleTime[]>;
  /** The state of nodes at each of their samples; of each node in the order of time. */
  nodeSamples(window: AskedWindow): Portions<NodeSampleRow>;
  /** The state of cards at each sample; of each card in the order of time. */
  cardSamples(window: AskedWindow): Portions<CardSample>;
  /** The counters of disks at each sample; of each disk in the order of time. */
  diskSamples(window: AskedWindow): Portions<DiskSample>;
  /** Each node with its newest sysinfo and its newest sample before `until`, by cluster and name. */
  sysinfo(window: AskedWindow): Promise<readonly NodeInfo[]>;
  /** The newest state of each card in the window, in the order of clusters, nodes and indexes. */
  cardStates(window: AskedWindow): Promise<readonly CardSample[]>;
  /** The attributes of the newest `cluster` record of a cluster before a time, without time and cluster. */
  clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>>;
  /** Merged records of Slurm jobs, without steps, that were seen from `from` on and submitted before `until`. */
  slurmJobs(window: AskedWindow): Promise<readonly SlurmJobRow[]>;
  /** Merged records of Slurm jobs, without steps, that a filter selects: the latest submitted first. */
  selectedJobs(cluster: string, filter: JobFilter): Promise<SelectedSlurmJobs>;
  /** The merged record of a Slurm job, and those of its steps. */
  slurmJob(cluster: string | undefined, job: Uint): Promise<readonly SlurmJobRow[]>;
  /** Which processes of a job belong to which attempts of workflow jobs, in the order of time. */
  links(cluster: string | undefined, key: JobKey): Promise<readonly AttemptLink[]>;
  /**
   * What jobs did in hours of which no samples are left, in the order of time. With `isAddedUp`, a store may give one row for all
   * hours of a job of Slurm on a node with the same command.
   */
  jobHours(window: AskedWindow, key?: JobKey, isAddedUp?: boolean): Promise<readonly JobHour[]>;
  /**
   * What one job did in the hours that stand for samples, those of `jobHours` and those of all closed days that lie within the window and have
   * all their samples added up. These days are named by their numbers since 1970.
   */
  closedJobHours(window: AskedWindow, key: JobKey): Promise<ClosedJobHours>;
  /**
   * What nodes did in hours of which no samples are left, in the order of time. With the length of an interval, a store may give one row
   * for all hours of an interval that begins at a multiple of it.
   */
  nodeHours(window: AskedWindow, stepSeconds?: number): Promise<readonly NodeHour[]>;
  /** When the first of these hours of nodes begins and the last one ends, where a store knows it without reading them. */
  hourlySpan?(window: AskedWindow): Promise<{ readonly from: number; readonly until: number } | undefined>;
}

export type Portions<Row> = AsyncIterable<readonly Row[]>;

export interface AskedWindow {
  readonly cluster?: string | undefined;
  /** The name of a node, or its first label. */
  readonly node?: string | undefined;
  readonly from: number;
  readonly until: number;
  /** Only the jobs of this user; totals of nodes are for all. */
  readonly user?: string | undefined;
}

export interface JobKey {
  readonly job: Uint;
  /** 0 for jobs of Slurm; undefined: any. */
  readonly epoch?: Uint | undefined;
}
