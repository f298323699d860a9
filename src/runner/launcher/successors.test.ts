import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { StepId } from '../../core/contract/files/job.ts';
import { createSuccessors } from './successors.ts';

const id = (number: number) => `wf1_j${number}_r1_a1` as StepId;
/** Step 1 runs, 2 waits for it, 3 for 2, and 5 for another one. */
const waiting = () => {
  const successors = createSuccessors<{ readonly id: StepId }>();
  successors.add(id(1), { id: id(2) });
  successors.add(id(2), { id: id(3) });
  successors.add(id(4), { id: id(5) });
  return successors;
};

describe('starts that wait for the end of another step', () => {
  it('the place of a step that has ended goes to the one that waits for it, and to no other', () => {
    const successors = waiting();
    expect(successors.next(id(1))).toEqual({ id: id(2) });
    expect(successors.next(id(1))).toBeUndefined();
    expect([successors.has(id(2)), successors.has(id(3)), successors.has(id(5))]).toEqual([false, true, true]);
  });

  it('a step that is taken back takes those behind it along, and no others', () => {
    const successors = waiting();
    expect(successors.drop(id(2))).toEqual([id(2), id(3)]);
    expect(successors.next(id(1))).toBeUndefined();
    expect(successors.next(id(4))).toEqual({ id: id(5) });
  });

  it('a step that has started is not taken back', () => {
    const successors = waiting();
    successors.next(id(1));
    expect(successors.drop(id(2))).toEqual([]);
    expect(successors.next(id(2))).toEqual({ id: id(3) });
  });

  it('all that wait behind a step are taken back together', () => {
    const successors = waiting();
    expect(successors.dropBehind(id(1))).toEqual([id(2), id(3)]);
    expect(successors.clear()).toEqual([id(5)]);
    expect(successors.clear()).toEqual([]);
  });
});

test('each start that waited started once or was taken back once, in any order of events', () => {
  const event = fc.record({ kind: fc.constantFrom('end', 'fail', 'drop'), of: fc.nat(20) });
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(19)), fc.array(event), (places, events) => {
      const successors = createSuccessors<{ readonly id: StepId }>();
      // Each waits for the step before it, whether that waits too or not.
      for (const place of places) successors.add(id(place), { id: id(place + 1) });
      const gone = events.flatMap(({ kind, of }) => {
        if (kind === 'fail') return successors.dropBehind(id(of));
        if (kind === 'drop') return successors.drop(id(of));
        return successors.next(id(of))?.id ?? [];
      });
      gone.push(...successors.clear());
      expect(gone.toSorted()).toEqual(places.map((place) => id(place + 1)).toSorted());
    }),
  );
});
