import type { Need } from '../../core/contract/exchange.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { nodesWithRoom } from '../../core/lifecycle/placement/placement.ts';
import type { Capacity } from '../claim/capacity.ts';
import type { RunShare } from './run-share.ts';

/**
 * The accounting of a runner that shares its machine: a job gets what both the runner and the machine have free.
 *
 * What is free is that of the runner alone. So it claims jobs as if it were alone, and those that find no room wait here: else a
 * job that needs all of the machine would never be claimed beside another run.
 */
export function shareCapacity(
  own: Capacity,
  share: Pick<RunShare, 'take' | 'release' | 'devices'>,
  used: Set<string>,
  amountsOfNeed: (need: Need) => Amounts,
): Capacity {
  const hasRoom = (need: Need) =>
    own.nodes().length === 0 ? own.free().cpus > 0 : nodesWithRoom(need, own.nodes()) !== undefined;
  return {
    total: own.total,
    free: own.free,
    nodes: own.nodes,
    drop: own.drop,
    lease(need) {
      const amounts = amountsOfNeed(need);
      if (!hasRoom(need) || !share.take(amounts)) return undefined;
      const lease = own.lease(need, share.devices);
      if (lease === undefined) share.release(amounts);
      else for (const device of lease.gpus) used.add(device);
      return lease;
    },
    release(lease) {
      own.release(lease);
      for (const device of lease.gpus) used.delete(device);
      share.release(amountsOfNeed(lease.need));
    },
  };
}
