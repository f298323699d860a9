import { timeText } from '../../quantity/time-text.ts';
import type { JobFacts, PartitionRoom, Reason } from './job-facts.ts';
import { obstacles } from '../placement/obstacles.ts';
import { isSize, loweringOption } from './too-wide.ts';

/** What a partition lacks for a job, and the option that lowers the requirement to what it has. */
interface Lack {
  readonly reason: string;
  readonly needs: string;
  readonly has: string;
  readonly option: string;
}

type PartitionFacts = Pick<JobFacts, 'labels' | 'schedulerId' | 'need' | 'requirementsId' | 'partitions'>;

/**
 * Why no partition of the site could run a job, and what can help; undefined if one could, or where the partitions are not
 * known. Allocations that are planned anew would run such a job as little: that is never advised.
 */
export function noPartition(job: PartitionFacts): { reasons: readonly Reason[]; next: readonly string[] } | undefined {
  const known = (job.partitions ?? []).map((partition) => ({ partition, lacks: lacksOf(job, partition) }));
  const [nearest] = known.toSorted((one, other) => one.lacks.length - other.lacks.length || more(other, one));
  if (nearest === undefined || nearest.lacks.length === 0) return undefined;
  const { partition, lacks } = nearest;
  return {
    reasons: lacks.map(({ reason, needs, has }) => ({
      code: reason,
      message: `the job needs ${needs}, and the partition that comes nearest, ${partition.name}, has ${has}`,
    })),
    next: [
      `lower what the job asks for: torc resource-requirements update ${job.requirementsId} ${lacks.map(({ option }) => option).join(' ')}`,
    ],
  };
}

function lacksOf(job: PartitionFacts, partition: PartitionRoom): Lack[] {
  const room = {
    labels: job.labels,
    schedulerId: null,
    isStrict: false,
    countsJobs: false,
    cpus: partition.cpus_per_node,
    memoryBytes: partition.memory_mb * 2 ** 20,
    gpus: partition.gpus_per_node ?? 0,
    nodes: partition.max_nodes ?? Infinity,
    time: undefined,
  };
  const sizes = obstacles(job, room)
    .filter(isSize)
    .map((each) => ({ ...each, option: loweringOption(each.reason, room) }));
  const [runtime, most] = [job.need.runtime_seconds, partition.max_walltime_secs];
  if (runtime <= most) return sizes;
  const time = { needs: timeText(runtime), has: `a walltime of at most ${timeText(most)}` };
  return [...sizes, { reason: 'time', ...time, option: `--runtime PT${most}S` }];
}

type Known = { readonly partition: PartitionRoom };
const more = ({ partition: one }: Known, { partition: other }: Known) =>
  one.cpus_per_node - other.cpus_per_node || one.memory_mb - other.memory_mb;
