import type { WorkflowLimits } from '../../contract/workflow-limits.ts';
import { limitName } from './waiting-limit.ts';
import { grouped } from '../../quantity/count-text.ts';

const NAMES = ['nodes', 'cores', 'gpus'] as const;

/** What one allocation has, or several have together. */
export type AllocationAmounts = Readonly<Record<(typeof NAMES)[number], number>>;

/** How many more allocations limits leave room for, and by which limit. */
export interface AllocationRoom {
  readonly allocations: number;
  /** `at most 4 nodes of its workflow, and allocations have 4`. */
  readonly why: string;
}

/** What a person should know of a plan that has more nodes at once than limits allow. */
export const overLimits = (limits: WorkflowLimits['limits'], nodes: number): string[] =>
  limits
    .filter(({ name, most }) => name === 'nodes' && most < nodes)
    .map(
      (limit) =>
        `The plan has ${grouped(nodes)} nodes, and at most ${grouped(limit.most)} ${limitName(limit)} may be in use: allocations beyond that are submitted as others end`,
    );

/** The limits that bound allocations. */
export const limitsOfAllocations = (limits: WorkflowLimits['limits']): WorkflowLimits['limits'] =>
  limits.filter(({ name }) => NAMES.some((each) => each === name));

/**
 * The room for more allocations like `each`, beside those that wait or run and have `used`; undefined where no limit counts them.
 *
 * Others of the user or the server hold what their jobs hold now. A runner takes as many jobs as limits of cores and GPUs allow, so one
 * allocation may be larger than these; of nodes it has all in use.
 */
export function allocationRoom(
  limits: WorkflowLimits['limits'],
  used: AllocationAmounts,
  each: AllocationAmounts,
): AllocationRoom | undefined {
  const rooms = NAMES.flatMap((name) =>
    limits
      .filter((limit) => limit.name === name && each[name] > 0)
      .map((limit) => {
        const taken = Math.max(used[name], limit.held);
        const least = name !== 'nodes' && taken === 0 && limit.most > 0 ? 1 : 0;
        return {
          allocations: Math.max(least, Math.floor((limit.most - taken) / each[name])),
          why: `at most ${grouped(limit.most)} ${limit.most === 1 ? limitName(limit).replace(/s\b/, '') : limitName(limit)}, and ${taken === 0 ? `an allocation has ${grouped(each[name])}` : `${grouped(taken)} are in use or asked for`}`,
        };
      }),
  );
  return rooms.toSorted((one, other) => one.allocations - other.allocations)[0];
}
