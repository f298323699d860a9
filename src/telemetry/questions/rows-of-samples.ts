import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { Metadata } from '../../core/contract/sonar/shared.ts';

/** Rows of samples: of processes and what they add up to, and of nodes with their cards and disks. */

/** A time on a node. */
export interface OnNode {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
}

/** Which entry of a job in a sample: `slot` is its place among the jobs of the sample. */
interface EntryKey extends OnNode {
  readonly envelope: number;
  readonly user: string;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly slot: number;
}

/** One process of one sample; `ord` is undefined for an entry of a job that has no process. */
export interface ProcessRow extends EntryKey {
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
export interface SampleSum
  extends
    OnNode,
    Pick<ProcessRow, 'job' | 'epoch' | 'user' | 'pid' | 'ppid' | 'cmd' | 'processes' | 'rssKb' | 'cpuAvg' | 'cpuTime'> {
  readonly meta: Metadata;
  readonly vmKb: Uint;
  readonly threads: Uint;
  /** As it was sent: what it means depends on the producer. */
  readonly cpuUtil: number;
  readonly readKb: Uint;
  readonly writtenKb: Uint;
  readonly cancelledKb: Uint;
}

/** One entry of a job in a sample: sums over its processes, and their counters in the order of the processes. */
export interface JobSampleRow
  extends EntryKey, Pick<ProcessRow, 'processes' | 'rssKb' | 'cpuAvg' | 'gpuUtil' | 'gpuMemoryKb'> {
  /** What identifies each process: its pid or, of processes that were rolled up, `0`, the pid of the parent and the command. */
  readonly names: readonly (Uint | string)[];
  readonly ppids: readonly Uint[];
  readonly cpuTimes: readonly Uint[];
}

/** What one process uses of one card. */
export interface ProcessCard extends OnNode {
  readonly job: Uint;
  readonly epoch: Uint;
  readonly pid: Uint;
  readonly uuid: string;
  readonly utilPercent: number;
  readonly memoryKb: Uint;
  readonly memoryPercent: number;
}

export interface SampleTime extends OnNode {
  readonly boot: number | undefined;
}

export interface NodeSampleRow extends OnNode {
  readonly usedMemoryKb: Uint;
  /** Since boot, of each core. */
  readonly cpuSeconds: readonly Uint[];
  readonly load1: number;
  readonly cards: number;
  /** The average of the cards. */
  readonly gpuUtil: number | undefined;
  readonly gpuMemoryKb: Uint;
}

export interface CardSample extends OnNode {
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

export interface DiskSample extends OnNode {
  readonly disk: string;
  readonly major: Uint;
  readonly minor: Uint;
  /** As in /proc/diskstats. */
  readonly stats: readonly Uint[];
}

const compare = <Value>(one: Value, other: Value): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of rows of nodes. */
export const byNodeAndTime = (one: OnNode, other: OnNode): number =>
  compare(one.cluster, other.cluster) || compare(one.node, other.node) || one.time - other.time;
