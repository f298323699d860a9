import type { Need } from '../../contract/exchange.ts';

/**
 * The order of claims among jobs of equal priority: the largest requirements first, so that those jobs are not left. GPUs count most,
 * then the runtime, the memory and the CPUs, as in Torc 1.0.0. The server claims by it, and the planner of allocations expects it.
 */
export const largestFirst = (left: Omit<Need, 'num_nodes'>, right: Omit<Need, 'num_nodes'>): number =>
  right.num_gpus - left.num_gpus ||
  right.runtime_seconds - left.runtime_seconds ||
  right.memory_bytes - left.memory_bytes ||
  right.num_cpus - left.num_cpus;
