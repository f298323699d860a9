import type { WorkflowLimits } from '../contract/workflow-limits.ts';
import type { Amounts } from '../job/amounts.ts';
import { greatest, smallest } from '../quantity/extremes.ts';

/** A license that the batch system counts for all its jobs, ours and others. */
export interface ClusterLicense {
  readonly name: string;
  readonly total: number;
  readonly used: number;
}

/** Slurm adds the server of a license to its name: `ansys@srv`. */
const localName = (name: string): string => name.split('@', 1)[0] as string;

/** The license of the cluster that jobs mean by a name; undefined if it has none of that name, or several. */
export function licenseNamed(name: string, cluster: readonly ClusterLicense[]): ClusterLicense | undefined {
  const exact = cluster.find((each) => each.name === name);
  if (exact !== undefined) return exact;
  const [only, ...others] = cluster.filter((each) => localName(each.name) === name);
  return others.length === 0 ? only : undefined;
}

/** What an allocation holds, by all names that its jobs may mean. */
export function heldByAllocation(licenses: Amounts): Amounts {
  const cluster = Object.entries(licenses).map(([name, total]) => ({ name, total, used: 0 }));
  const names = new Set(cluster.flatMap(({ name }) => [name, localName(name)]));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const found = licenseNamed(name, cluster);
      return found === undefined ? [] : [[name, found.total]];
    }),
  );
}

interface LicenseRequest extends Pick<WorkflowLimits, 'limits'> {
  /** Jobs that may run in the allocation and hold licenses. */
  readonly licensed: WorkflowLimits['licensed'];
  readonly cluster: readonly ClusterLicense[];
  /** What the jobs of the allocation have together; infinite where it is not known. */
  readonly room: { readonly cpus: number; readonly memoryBytes: number; readonly gpus: number };
}

/**
 * The licenses that an allocation has to ask for: as many as its jobs can hold at a time, by its room, by limits, and by what the cluster has.
 *
 * More would keep others waiting, and fewer would make its jobs wait for each other. A name that the cluster does not know is left out: sbatch
 * refuses it. So is one of which each job needs more than there are.
 */
export function licensesToAsk({ licensed, limits, cluster, room }: LicenseRequest): Amounts {
  const names = new Set(licensed.flatMap(({ need }) => Object.keys(need.licenses ?? {})));
  const asked = [...names].flatMap((name): [string, number][] => {
    const license = licenseNamed(name, cluster);
    if (license === undefined) return [];
    const holders = licensed
      .map(({ jobs, need }) => ({ jobs, need, each: need.licenses?.[name] ?? 0 }))
      .filter(({ each }) => each > 0 && each <= license.total);
    if (holders.length === 0) return [];
    const most = smallest([license.total, ...limits.filter((limit) => limit.name === name).map((limit) => limit.most)]);
    const atOnce = heldAtOnce(holders, room);
    const least = greatest(holders.map(({ each }) => each));
    return [[license.name, Math.max(least, Math.min(atOnce, most))]];
  });
  return Object.fromEntries(asked);
}

interface Holders {
  readonly jobs: number;
  readonly each: number;
  readonly need: WorkflowLimits['licensed'][number]['need'];
}

/** What jobs hold together that fit into the room, those first that hold most. */
function heldAtOnce(holders: readonly Holders[], room: LicenseRequest['room']): number {
  let { cpus, memoryBytes, gpus } = room;
  let held = 0;
  for (const { jobs, need, each } of holders.toSorted((one, other) => other.each - one.each)) {
    const fits = ([have, needed]: readonly [number, number]) => (needed > 0 ? Math.floor(have / needed) : Infinity);
    const needed = [need.num_cpus, need.memory_bytes, need.num_gpus].map((amount) => amount * need.num_nodes);
    const [forCpus = 0, forMemory = 0, forGpus = 0] = needed;
    const count = Math.max(
      0,
      smallest([jobs, fits([cpus, forCpus]), fits([memoryBytes, forMemory]), fits([gpus, forGpus])]),
    );
    held += count * each;
    cpus -= count * forCpus;
    memoryBytes -= count * forMemory;
    gpus -= count * forGpus;
  }
  return held;
}

/** As sbatch takes them: `ansys@srv:2,matlab:1`. */
export const licenseList = (licenses: Amounts): string =>
  Object.entries(licenses)
    .map(([name, amount]) => `${name}:${amount}`)
    .join(',');

/** Whether options of sbatch ask for licenses already: then they are as a person wants them. */
export const asksForLicenses = (
  defaults: Readonly<Record<string, unknown>>,
  extra: string | null | undefined,
): boolean =>
  ['licenses', 'L'].some((name) => Object.hasOwn(defaults, name)) || /(?:^|\s)(?:--licenses\b|-L)/.test(extra ?? '');
