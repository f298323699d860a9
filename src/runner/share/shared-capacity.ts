import { jobAmounts } from '../../core/lifecycle/share/amounts.ts';
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
): Capacity {
  return {
    total: own.total,
    free: own.free,
    nodes: own.nodes,
    lease(need) {
      if (nodesWithRoom(need, own.nodes()) === undefined || !share.take(jobAmounts(need))) return undefined;
      const lease = own.lease(need, share.devices);
      if (lease === undefined) share.release(jobAmounts(need));
      else for (const device of lease.gpus) used.add(device);
      return lease;
    },
    release(lease) {
      own.release(lease);
      for (const device of lease.gpus) used.delete(device);
      share.release(jobAmounts(lease.need));
    },
  };
}
