import type { ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Hint } from './next-lines.ts';

/** Allocations that are planned and not submitted, by what holds them back; undefined for those of an interrupted command. */
export const unsubmittedBy = (allocations: readonly Pick<ScheduledComputeNode, 'held'>[]) =>
  [...Map.groupBy(allocations, ({ held }) => held ?? undefined)].map(([held, those]) => ({
    held,
    allocations: those.length,
  }));

/** How many allocations are not submitted yet, why, and what goes on. */
export function unsubmittedLines(
  allocations: readonly Pick<ScheduledComputeNode, 'held'>[],
  id: number,
  hint: Hint,
): string[] {
  const submit = hint(`torc submit ${id}`);
  return unsubmittedBy(allocations).map(({ held, allocations: count }) => {
    const one = count === 1;
    const what = `${counted(count, 'allocation')} ${one ? 'is' : 'are'} not submitted yet`;
    if (held === undefined) return `${what}: ${submit} completes ${one ? 'it' : 'them'}`;
    if (held.startsWith('paused')) return `${what} (${held}). To go on after a repair: ${submit}`;
    return `${what} (${held}): ${one ? 'it follows' : 'they follow'} as others leave the queue, or with ${submit}`;
  });
}
