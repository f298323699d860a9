import { greatest } from '../../../core/quantity/extremes.ts';
import type { ReadyJobRequirements } from '../../../core/contract/resources.ts';
import type { ReadyNeeds } from './queries.ts';

/** The requirements of all ready jobs together: sums, and the maximum of values that cannot be added. */
export function readyRequirements(classes: readonly ReadyNeeds[]): ReadyJobRequirements {
  const ready = classes.filter(({ jobs }) => jobs > 0);
  const sum = (of: (needs: ReadyNeeds) => number) => ready.reduce((total, each) => total + each.jobs * of(each), 0);
  const longest = ready.reduce<ReadyNeeds | undefined>(
    (best, each) => (best === undefined || each.runtime_s > best.runtime_s ? each : best),
    undefined,
  );
  return {
    num_jobs: sum(() => 1),
    num_cpus: sum(({ num_cpus: cpus }) => cpus),
    memory_gb: sum(({ memory_bytes: bytes }) => bytes) / 2 ** 30,
    num_gpus: sum(({ num_gpus: gpus }) => gpus),
    max_num_nodes: greatest(
      ready.map(({ num_nodes: nodes }) => nodes),
      0,
    ),
    max_runtime: longest?.runtime ?? 'PT0S',
  };
}
