import { overheadSeconds, walltimeFor } from '../core/allocation/usable-time.ts';
import { type SizeOptions, wholeMinutes } from './allocation-size.ts';
import type { Sized } from './pack-groups.ts';
import { mostNodes } from './profile.ts';

/** Allocations of several nodes in the place of as many of fewer nodes. */
export interface OneAllocation {
  readonly allocations: number;
  readonly nodes: number;
  readonly walltimeSeconds: number;
}

/**
 * One allocation in the place of all of a group. Where the partition has fewer nodes, each does the work of several, one after another;
 * where its limit has no time for that, there are several allocations.
 */
export function singleAllocation(
  { group, on, size }: Sized,
  { margins, walltimeSeconds: given }: SizeOptions,
): OneAllocation {
  const { allocations, walltimeSeconds } = size;
  const most = Math.max(1, Math.floor(mostNodes(on) / group.nodes));
  if (allocations <= most) return { allocations: 1, nodes: allocations * group.nodes, walltimeSeconds };
  const work = walltimeSeconds - overheadSeconds(margins);
  const inLimit = Math.floor((wholeMinutes(on.max_walltime_secs) - overheadSeconds(margins)) / Math.max(1, work));
  const inTurn = Math.min(Math.ceil(allocations / most), Math.max(1, given === undefined ? inLimit : 1));
  const nodes = Math.min(most, Math.ceil(allocations / inTurn));
  return {
    allocations: Math.ceil(allocations / (inTurn * nodes)),
    nodes: nodes * group.nodes,
    walltimeSeconds: inTurn === 1 ? walltimeSeconds : walltimeFor(inTurn * work, margins),
  };
}
