import type { Job } from '../../../core/contract/job.ts';
import { partOfSize, sizeText } from '../../../core/quantity/size-text.ts';
import { timeText } from '../../../core/quantity/time-text.ts';
import { limitsOf } from '../../../core/lifecycle/resources/resource-use.ts';
import type { TopFacts } from '../facts/top.ts';

/** A running job, with what it uses and what it asked for. Unknown figures are undefined. */
export interface RunningRow {
  readonly job_id: number;
  readonly job_name: string;
  readonly hostname: string | undefined;
  readonly elapsed_seconds: number | undefined;
  readonly runtime_seconds: number | undefined;
  /** 100 is one core. */
  readonly cpu_percent: number | undefined;
  readonly num_cpus: number | undefined;
  readonly memory_bytes: number | undefined;
  readonly memory_limit_bytes: number | undefined;
}

type Facts = Pick<TopFacts, 'running' | 'requirements' | 'nodes' | 'uses' | 'nowMs'>;

/** The running jobs, the one that has run longest first. */
export const runningRows = (facts: Facts): RunningRow[] =>
  facts.running
    .map((job) => rowOf(job, facts))
    .toSorted((a, b) => (b.elapsed_seconds ?? 0) - (a.elapsed_seconds ?? 0) || a.job_id - b.job_id);

function rowOf(job: Job, { requirements, nodes, uses, nowMs }: Facts): RunningRow {
  const needs = requirements.get(job.resource_requirements_id ?? 0);
  const limits = needs === undefined ? undefined : limitsOf(needs);
  const use = uses.get(job.id);
  const startMs = Date.parse(job.start_time ?? '');
  return {
    job_id: job.id,
    job_name: job.name,
    hostname: nodes.get(job.compute_node_id ?? 0)?.hostname,
    // The clock of the runner may be ahead.
    elapsed_seconds: Number.isNaN(startMs) ? undefined : Math.max(0, (nowMs - startMs) / 1000),
    runtime_seconds: limits?.runtimeSeconds,
    cpu_percent: use?.cpuPercent,
    num_cpus: limits?.numCpus,
    memory_bytes: use?.memoryBytes,
    memory_limit_bytes: limits?.memoryBytes,
  };
}

/** `1m 02s of 10m 00s`. */
export const elapsedText = ({ elapsed_seconds: elapsed, runtime_seconds: runtime }: RunningRow): string =>
  ofText(elapsed === undefined ? undefined : timeText(elapsed), runtime === undefined ? undefined : timeText(runtime));

/** `0.9 of 2`: in cores. */
export const cpuText = ({ cpu_percent: percent, num_cpus: cpus }: RunningRow): string =>
  ofText(percent === undefined ? undefined : (percent / 100).toFixed(1), cpus);

/** `394 MiB of 2 GiB`. */
export function memoryOfLimitText({ memory_bytes: bytes, memory_limit_bytes: limit }: RunningRow): string {
  if (bytes !== undefined && limit !== undefined) return partOfSize(bytes, limit);
  return ofText(bytes === undefined ? undefined : sizeText(bytes), limit === undefined ? undefined : sizeText(limit));
}

/** A figure and its limit; of a job on another machine only the limit is known. */
function ofText(part: string | undefined, whole: string | number | undefined): string {
  if (whole === undefined) return part ?? '';
  return `${part ?? '–'} of ${whole}`;
}
