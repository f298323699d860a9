import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { Metadata } from '../../core/contract/sonar/shared.ts';

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
  processes(window: Window, key?: JobKey): Portions<ProcessRow>;
  /**
   * Sums over the processes of each sample, in the order of time: of all, of each job, or of each process. Of one job, if it is
   * named; of nodes always all, also samples without a process. Of two producers those of one, as with `processes`.
   */
  sampleSums(window: Window, by: SumsBy, key?: JobKey): Portions<SampleSum>;
  /**
   * What the entries of one job in samples say, in the order of time, then of envelopes and entries. Of two producers those of one, as with
   * `processes`.
   */
  jobSamples(window: Window, key: JobKey): Portions<JobSample>;
  /** What processes use of cards, in the order of time. */
  processCards(window: Window, key?: JobKey): Portions<ProcessCard>;
  /** The time of the first sample of each node in a window, by cluster and node, with a blank between. */
  firstSamples(window: Window): Promise<ReadonlyMap<string, number>>;
  /** The times of samples, in the order of clusters, nodes and times. */
  sampleTimes(window: Window): Promise<readonly SampleTime[]>;
  /** The state of nodes at each of their samples; of each node in the order of time. */
  nodeSamples(window: Window): Portions<NodeSample>;
  /** The state of cards at each sample; of each card in the order of time. */
  cardSamples(window: Window): Portions<CardSample>;
  /** The counters of disks at each sample; of each disk in the order of time. */
  diskSamples(window: Window): Portions<DiskSample>;
  /** Each node with its newest sysinfo and its newest sample before `until`, by cluster and name. */
  sysinfo(window: Window): Promise<readonly NodeInfo[]>;
  /** The newest state of each card in the window, in the order of clusters, nodes and indexes. */
  cardStates(window: Window): Promise<readonly CardSample[]>;
  /** The attributes of the newest `cluster` record of a cluster before a time, without time and cluster. */
  clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>>;
  /** Merged records of Slurm jobs, without steps, that were seen from `from` on and submitted before `until`. */
  slurmJobs(window: Window): Promise<readonly SlurmJobRow[]>;
  /** Merged records of Slurm jobs, without steps, that a filter selects: the latest submitted first. */
  selectedJobs(cluster: string, filter: JobFilter): Promise<SelectedJobs>;
  /** The merged record of a Slurm job, and those of its steps. */
  slurmJob(cluster: string | undefined, job: Uint): Promise<readonly SlurmJobRow[]>;
  /** Which processes of a job belong to which attempts of workflow jobs, in the order of time. */
  links(cluster: string | undefined, key: JobKey): Promise<readonly Link[]>;
  /**
   * What jobs did in hours of which no samples are left, in the order of time. With `isAddedUp`, a store may give one row for all
   * hours of a job of Slurm on a node with the same command.
   */
  jobHours(window: Window, key?: JobKey, isAddedUp?: boolean): Promise<readonly JobHour[]>;
  /**
   * What one job did in the hours that stand for samples, those of `jobHours` and those of all closed days that lie within the window and have
   * all their samples added up. These days are named by their numbers since 1970.
   */
  closedJobHours(window: Window, key: JobKey): Promise<ClosedJobHours>;
  /**
   * What nodes did in hours of which no samples are left, in the order of time. With the length of an interval, a store may give one row
   * for all hours of an interval that begins at a multiple of it.
   */
  nodeHours(window: Window, stepSeconds?: number): Promise<readonly NodeHour[]>;
  /** When the first of these hours of nodes begins and the last one ends, where a store knows it without reading them. */
  hourlySpan?(window: Window): Promise<{ readonly from: number; readonly until: number } | undefined>;
}

export type Portions<Row> = AsyncIterable<readonly Row[]>;

export interface Window {
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

/** One process of one sample; `ord` is undefined for an entry of a job that has no process. */
export interface ProcessRow {
  readonly envelope: number;
  readonly time: number;
  readonly cluster: string;
  readonly node: string;
  readonly user: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly slot: number;
  readonly ord: number | undefined;
  readonly pid: Uint;
  readonly ppid: Uint;
  readonly cmd: string;
  readonly rssKb: Uint;
  readonly cpuTime: Uint;
  readonly cpuAvg: number;
  readonly processes: number;
  readonly gpuUtil: number;
  readonly gpuMemoryKb: Uint;
  /** Cards by their uuids, separated by blanks. */
  readonly cards: string;
}

export type SumsBy = 'node' | 'job' | 'process';

/** Sums over processes of one sample. Job, epoch and user are those of a job, pid, ppid and command those of a process. */
export interface SampleSum {
  readonly time: number;
  readonly cluster: string;
  readonly node: string;
  readonly meta: Metadata;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly user: string;
  readonly pid: Uint;
  readonly ppid: Uint;
  readonly cmd: string;
  readonly processes: number;
  readonly rssKb: Uint;
  readonly vmKb: Uint;
  readonly threads: Uint;
  readonly cpuAvg: number;
  /** As it was sent: what it means depends on the producer. */
  readonly cpuUtil: number;
  readonly cpuTime: Uint;
  readonly readKb: Uint;
  readonly writtenKb: Uint;
  readonly cancelledKb: Uint;
}

/** One entry of a job in a sample: sums over its processes, and their counters in the order of the processes. */
export interface JobSample {
  readonly envelope: number;
  readonly time: number;
  readonly cluster: string;
  readonly node: string;
  readonly user: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly slot: number;
  readonly processes: number;
  readonly rssKb: Uint;
  readonly cpuAvg: number;
  readonly gpuUtil: number;
  readonly gpuMemoryKb: Uint;
  /** What identifies each process: its pid or, of processes that were rolled up, `0`, the pid of the parent and the command. */
  readonly names: readonly (Uint | string)[];
  readonly ppids: readonly Uint[];
  readonly cpuTimes: readonly Uint[];
}

/** What one process uses of one card. */
export interface ProcessCard {
  readonly time: number;
  readonly cluster: string;
  readonly node: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly pid: Uint;
  readonly uuid: string;
  readonly utilPercent: number;
  readonly memoryKb: Uint;
  readonly memoryPercent: number;
}

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

export interface SelectedJobs {
  /** Of all that the filter selects. */
  readonly total: number;
  readonly jobs: readonly SlurmJobRow[];
}

export interface SampleTime {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly boot: number | undefined;
}

export interface NodeSample {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly usedMemoryKb: Uint;
  /** Since boot, of each core. */
  readonly cpuSeconds: readonly Uint[];
  readonly load1: number;
  readonly cards: number;
  /** The average of the cards. */
  readonly gpuUtil: number | undefined;
  readonly gpuMemoryKb: Uint;
}

export interface CardSample {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly uuid: string;
  readonly index: Uint;
  readonly failing: Uint;
  readonly fan: Uint;
  readonly memoryKb: Uint;
  readonly utilPercent: Uint;
  readonly memoryPercent: Uint;
  readonly temperature: Uint;
  readonly powerWatts: Uint;
  readonly powerLimitWatts: Uint;
  readonly computeMode: string;
  readonly clockMhz: Uint;
  readonly memoryClockMhz: Uint;
  /** As it was sent: what it means depends on the producer. */
  readonly performance: Uint | undefined;
  readonly meta: Metadata;
}

export interface DiskSample {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly disk: string;
  readonly major: Uint;
  readonly minor: Uint;
  /** As in /proc/diskstats. */
  readonly stats: readonly Uint[];
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
export interface Link {
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

/** What one job did on one node in one hour, made of its samples when their day was closed. */
export interface JobHour {
  readonly cluster: string;
  readonly node: string;
  /** Begin of the hour. */
  readonly time: number;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly user: string;
  /** The most frequent command. */
  readonly cmd: string;
  readonly first: number;
  readonly last: number;
  readonly samples: number;
  /** The most at a sample. */
  readonly processes: number;
  readonly cpuSeconds: Uint;
  readonly peakCpuPercent: number;
  readonly memoryKb: Uint;
  readonly peakMemoryKb: Uint;
  readonly gpuPercent: number;
  readonly peakGpuMemoryKb: Uint;
  readonly cards: string;
}

export interface ClosedJobHours {
  readonly hours: readonly JobHour[];
  /** Of these days, no samples need to be read. */
  readonly days: readonly number[];
}

/** What one node did in one hour. */
export interface NodeHour {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly first: number;
  readonly last: number;
  readonly boot: number | undefined;
  readonly samples: number;
  readonly cores: number;
  /** Undefined where nothing is known of it, as behind a boot. */
  readonly cpuPercent: number | undefined;
  readonly usedMemoryKb: Uint;
  readonly load1: number;
  readonly cards: number;
  readonly gpuPercent: number | undefined;
  readonly gpuMemoryKb: Uint;
}

interface OnNode {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
}

const compare = <Value>(one: Value, other: Value): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of rows of nodes. */
export const byNodeAndTime = (one: OnNode, other: OnNode): number =>
  compare(one.cluster, other.cluster) || compare(one.node, other.node) || one.time - other.time;
