import type { Need } from '../../core/contract/exchange.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import type { Client } from '../client.ts';

/** The requirements of jobs, each record read once. */
export function createNeeds(client: Pick<Client, 'getResourceRequirements'>): (id: number) => Promise<Need> {
  const known = new Map<number, Need>();
  return async (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const found = await client.getResourceRequirements({ params: { id } });
    const need: Need = {
      num_cpus: found.num_cpus ?? 1,
      memory_bytes: parseMemory(found.memory ?? '1m'),
      num_gpus: found.num_gpus ?? 0,
      num_nodes: found.num_nodes ?? 1,
      runtime_seconds: parseDuration(found.runtime ?? 'PT1M'),
    };
    known.set(id, need);
    return need;
  };
}
