import type { Want } from '../core/contract/exchange.ts';
import type { Capacity } from './capacity.ts';
import { claimLimit } from './deadline.ts';
import type { RunnerOptions } from './options.ts';

const GIBIBYTE = 2 ** 30;

/**
 * What the runner has room for now, in the words of a claim: jobs to start at once, packed into what is free, and
 * `prefetch` more that fit into the node when it is empty. Undefined when there is room for none.
 */
export function wantOf(options: RunnerOptions, capacity: Capacity, prefetch: number, nowMs: number): Want | undefined {
  const free = capacity.free();
  const limit = Math.max(0, free.cpus);
  if (limit + prefetch === 0) return undefined;
  const labels = [...options.labels];
  if (options.maxParallelJobs !== undefined) return { limit, prefetch, labels };
  const time = options.endAtMs === undefined ? {} : { time_limit: claimLimit(nowMs, options.endAtMs) };
  const scheduler = options.schedulerConfigId === undefined ? {} : { scheduler_config_id: options.schedulerConfigId };
  return {
    limit,
    prefetch,
    offer: {
      num_cpus: free.cpus,
      memory_gb: free.memoryBytes / GIBIBYTE,
      num_gpus: free.gpus,
      num_nodes: 1,
      labels,
      ...time,
      ...scheduler,
    },
    capacity: {
      num_cpus: capacity.total.cpus,
      memory_gb: capacity.total.memoryBytes / GIBIBYTE,
      num_gpus: capacity.total.gpus,
    },
    strict_scheduler_match: options.strictSchedulerMatch,
  };
}
