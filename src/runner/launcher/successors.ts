import type { StepId } from '../../core/contract/files/job.ts';

/**
 * Starts that were ordered ahead: each waits for another step of this launcher to end, and takes its place.
 *
 * A step that was taken back has no place to give, so those behind it are taken back too.
 */
export function createSuccessors<Start extends { readonly id: StepId }>() {
  /** By the step for which it waits. */
  const waiting = new Map<StepId, Start>();
  /** The step for which it waits. */
  const places = new Map<StepId, StepId>();

  const take = (after: StepId): Start | undefined => {
    const start = waiting.get(after);
    if (start === undefined) return undefined;
    waiting.delete(after);
    places.delete(start.id);
    return start;
  };
  const dropBehind = (id: StepId): StepId[] => {
    const start = take(id);
    return start === undefined ? [] : [start.id, ...dropBehind(start.id)];
  };

  return {
    /** A start that waits for this step, which runs or waits itself. */
    add(after: StepId, start: Start) {
      waiting.set(after, start);
      places.set(start.id, after);
    },
    has: (id: StepId) => places.has(id),
    /** A step has ended: the start that gets its place. */
    next: take,
    /** Takes back all that wait for this step: their ids, in order. */
    dropBehind,
    /** Takes back a start that waits, and those behind it; nothing for one that does not wait. */
    drop(id: StepId) {
      const after = places.get(id);
      return after === undefined ? [] : dropBehind(after);
    },
    /** Takes back all of them. */
    clear() {
      const ids = [...places.keys()];
      waiting.clear();
      places.clear();
      return ids;
    },
  };
}
