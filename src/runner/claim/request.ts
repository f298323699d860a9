import { greatest } from '../../core/quantity/extremes.ts';
import type { Want } from '../../core/contract/exchange.ts';
import type { NodeSize } from '../../core/lifecycle/placement/placement.ts';
import type { Capacity } from './capacity.ts';
import { claimLimit, type ClaimRules, noTimeReason } from './claim-time.ts';
import type { RunnerOptions } from '../facts/options.ts';

const GIBIBYTE = 2 ** 30;

/**
 * The claim of a runner: jobs to start at once, packed into the free resources, and `prefetch` more that fit into the
 * empty node. Undefined if there is no room for any, or too little time to start one.
 */
export function claimRequestOf(
  options: Pick<
    RunnerOptions,
    'labels' | 'maxParallelJobs' | 'endAtMs' | 'schedulerConfigId' | 'strictSchedulerMatch' | 'licenses'
  >,
  capacity: Capacity,
  prefetch: number,
  nowMs: number,
  rules: ClaimRules,
  ahead?: Want['ahead'],
): Want | undefined {
  const free = capacity.free();
  const limit = Math.max(0, free.cpus);
  if (limit + prefetch === 0 && !ahead) return undefined;
  const labels = [...options.labels];
  if (noTimeReason(options, rules, nowMs) !== undefined) return undefined;
  const more = { ...(options.licenses ? { licenses: options.licenses } : {}), ...(ahead ? { ahead } : {}) };
  if (options.maxParallelJobs !== undefined) return { limit, prefetch, labels, ...more };
  const limitText = claimLimit(options, rules, nowMs);
  const time = limitText === undefined ? {} : { time_limit: limitText };
  const nodes = capacity.nodes();
  const scheduler = options.schedulerConfigId === undefined ? {} : { scheduler_config_id: options.schedulerConfigId };
  return {
    limit,
    prefetch,
    offer: {
      ...sizeOf(most(nodes.map((node) => node.free))),
      num_nodes: nodes.length,
      labels,
      ...time,
      ...scheduler,
    },
    capacity: sizeOf(most(nodes.map(({ total }) => total))),
    ...(nodes.length > 1
      ? { nodes: nodes.map((node) => ({ free: sizeOf(node.free), total: sizeOf(node.total) })) }
      : {}),
    strict_scheduler_match: options.strictSchedulerMatch,
    ...more,
  };
}

const sizeOf = ({ cpus, memoryBytes, gpus }: NodeSize) => ({
  num_cpus: cpus,
  memory_gb: memoryBytes / GIBIBYTE,
  num_gpus: gpus,
});

/** The maximum of all nodes, for each resource. */
const most = (sizes: readonly NodeSize[]): NodeSize => ({
  cpus: greatest(sizes.map(({ cpus }) => cpus)),
  memoryBytes: greatest(sizes.map(({ memoryBytes }) => memoryBytes)),
  gpus: greatest(sizes.map(({ gpus }) => gpus)),
});
