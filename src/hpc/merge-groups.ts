import { allocationSize, type SizeOptions } from './allocation-size.ts';
import { joined } from './job-group.ts';
import { type Placed, type PlaceOptions, placeGroup } from './place-group.ts';

type MergeOptions = PlaceOptions & SizeOptions;

/** One group for each partition, and one for those that wait for others unless few allocations are needed in all. */
export const mergeGroups = (placed: readonly Placed[], options: MergeOptions): readonly Placed[] =>
  mergeSmall(mergePlaced(placed, options), options);

/** Groups on the same partition become one, which needs the largest of each; it may need another partition then. */
function mergePlaced(placed: readonly Placed[], options: MergeOptions): Placed[] {
  const result: Placed[] = [];
  for (const next of placed) {
    const at = result.findIndex((each) => isAlike(each, next) && each.group.isDeferred === next.group.isDeferred);
    if (at === -1) result.push(next);
    else result[at] = togetherOf(result[at] as Placed, next, options);
  }
  return result.length === placed.length ? result : mergePlaced(result, options);
}

/**
 * Jobs of one node would use an allocation of two as if each of them needed both, and jobs without GPUs one with GPUs. Jobs that
 * had different schedulers keep what these asked for.
 */
const isAlike = (a: Placed, b: Placed) =>
  a.on.name === b.on.name &&
  a.group.nodes === b.group.nodes &&
  a.group.gpus > 0 === b.group.gpus > 0 &&
  a.group.kept?.id === b.group.kept?.id;

/** Both are on one partition, so at least that one has enough of everything. */
function togetherOf(a: Placed, b: Placed, options: MergeOptions): Placed {
  const group = joined([a.group, b.group]);
  return placeGroup(group, options).placed ?? { ...a, group };
}

/** Together so few allocations are not worth two schedulers: the later jobs run in the allocations of the first ones. */
export const FEW = 2;

function mergeSmall(placed: readonly Placed[], options: MergeOptions): readonly Placed[] {
  const result = [...placed];
  const countOf = ({ group, on }: Placed) => allocationSize(group, on, options).allocations;
  for (const later of placed.filter(({ group }) => group.isDeferred)) {
    const at = result.findIndex((each) => !each.group.isDeferred && isAlike(each, later));
    const first = result[at];
    if (first === undefined || countOf(first) + countOf(later) > FEW) continue;
    result[at] = togetherOf(first, later, options);
    result.splice(result.indexOf(later), 1);
  }
  return result;
}
