import { asksForWholeNodes } from './kept-scheduler.ts';
import { chainSeconds, type WaitsFor } from './chain.ts';
import { greatest } from '../core/quantity/extremes.ts';
import { joined, type JobGroup } from './job-group.ts';
import { FEW } from './merge-groups.ts';
import { packJobs } from './pack.ts';
import type { AllocationSize, SizeOptions } from './allocation-size.ts';
import type { Placed } from './place-group.ts';
import type { WorkflowRules } from './workflow-rules.ts';

/** A group of jobs, its partition, and its allocations. */
export interface Sized extends Placed {
  readonly size: AllocationSize;
}

interface Options extends SizeOptions, Pick<WorkflowRules, 'defaults'> {
  readonly waitsFor: WaitsFor;
}

/**
 * The allocations of groups that are packed by time and width: jobs on one partition share them, except that jobs of several nodes and of
 * one, and jobs that had different schedulers, do not. Jobs that wait for others have their own, unless few are needed in all.
 */
export function packGroups(placed: readonly Placed[], options: Options): Sized[] {
  const alike = Map.groupBy(placed, ({ on, group }) => `${on.name} ${group.nodes} ${group.kept?.id}`);
  return [...alike.values()].flatMap((list) => {
    const first = list.filter(({ group }) => !group.isDeferred);
    const later = list.filter(({ group }) => group.isDeferred);
    const apart = [first, later].flatMap((each) => packAlike(each, options));
    const count = apart.reduce((sum, { size }) => sum + size.allocations, 0);
    return first.length > 0 && later.length > 0 && count <= FEW ? packAlike(list, options) : apart;
  });
}

function packAlike(list: readonly Placed[], options: Options): Sized[] {
  if (list.length === 0) return [];
  const groups = list.map(({ group }) => group);
  const [first] = list as [Placed];
  const { isKept, notDefault } = first;
  // A partition that the profile does not know is for each group as large as its jobs.
  const on = {
    ...first.on,
    cpus_per_node: greatest(list.map((each) => each.on.cpus_per_node)),
    gpus_per_node: greatest(list.map((each) => each.on.gpus_per_node ?? 0)),
  };
  const isWhole = hasWholeNodes(first, options.defaults);
  const chain = chainSeconds(groups, options.waitsFor, on.max_walltime_secs);
  const packed = packJobs(groups, { ...options, on, isWhole, chainSeconds: chain });
  return packed.map(({ size, jobs }, at) => {
    const before = packed.slice(0, at);
    const own = groups.flatMap((group) => {
      const from = before.reduce((sum, each) => sum + (each.jobs.get(group) ?? 0), 0);
      return partOf(group, from, jobs.get(group) ?? 0);
    });
    return { group: joined(own), on, isKept, notDefault, size };
  });
}

/** So many jobs of a group, from one on. */
const partOf = (group: JobGroup, from: number, count: number): JobGroup[] =>
  count === 0 ? [] : [{ ...group, jobs: group.jobs.slice(from, from + count) }];

/** Whether allocations of a partition get whole nodes. */
export const hasWholeNodes = ({ on, group }: Placed, defaults: WorkflowRules['defaults']): boolean =>
  (on.exclusive ?? !on.shared) || asksForWholeNodes(group.kept, defaults);
