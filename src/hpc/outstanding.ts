import { obstacles, type RunnerRoom } from '../core/lifecycle/placement/obstacles.ts';
import type { PlannedScheduler } from './plan-schedulers.ts';

const MEBIBYTE = 2 ** 20;

/** An allocation that waits in the queue or runs. */
export interface OpenAllocation {
  readonly schedulerId: number;
  readonly nodes: number;
  /** What its runner has, or will have. */
  readonly room: RunnerRoom;
}

/** A planned scheduler after what exists was subtracted. */
export interface Remaining {
  readonly planned: PlannedScheduler;
  /** Allocations still to be submitted, of `nodes` nodes; 0 if those that exist are enough. */
  readonly allocations: number;
  readonly nodes: number;
  /** Schedulers of the allocations that cover a part of the need. */
  readonly coveredBy: readonly number[];
}

/**
 * What is still to be submitted when allocations that wait or run are counted for the jobs that they can run.
 *
 * Groups that can start at once come first. An allocation counts once, for the first group whose jobs fit into it.
 */
export function subtractOpen(
  schedulers: readonly PlannedScheduler[],
  open: readonly OpenAllocation[],
): readonly Remaining[] {
  const left = [...open];
  const inOrder = schedulers.toSorted((a, b) => Number(a.group.isDeferred) - Number(b.group.isDeferred));
  const found = new Map<PlannedScheduler, Remaining>();
  for (const planned of inOrder) {
    let nodes = planned.allocations * planned.nodes;
    const coveredBy: number[] = [];
    for (let at = 0; at < left.length && nodes > 0;) {
      const one = left[at] as OpenAllocation;
      if (!canServe(one, planned)) at += 1;
      else {
        nodes -= one.nodes;
        coveredBy.push(one.schedulerId);
        left.splice(at, 1);
      }
    }
    const isSingle = planned.allocations === 1 && planned.nodes > planned.group.nodes;
    const rest = Math.max(0, nodes);
    found.set(planned, {
      planned,
      allocations: rest === 0 ? 0 : isSingle ? 1 : Math.ceil(rest / planned.nodes),
      nodes: isSingle ? Math.max(rest, planned.group.nodes) : planned.nodes,
      coveredBy,
    });
  }
  return schedulers.map((planned) => found.get(planned) as Remaining);
}

function canServe({ nodes, room }: OpenAllocation, { group }: PlannedScheduler): boolean {
  const { cpus, memoryMb, gpus, runtimeSeconds } = group;
  const need = {
    num_cpus: cpus,
    memory_bytes: memoryMb * MEBIBYTE,
    num_gpus: gpus,
    // Nodes are compared by themselves: the plan warns where direct mode runs no jobs of several nodes.
    num_nodes: 1,
    runtime_seconds: runtimeSeconds,
  };
  return nodes >= group.nodes && obstacles({ labels: [], schedulerId: null, need }, room).length === 0;
}
