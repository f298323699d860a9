import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ListsWriter } from '../../lists/int-list.ts';
import { cycleText } from './cycle-text.ts';
import { explicitGraph } from './graph.ts';
import { byLevel, walk, type Walk } from './walk.ts';

/** Walks jobs, each of which names its dependencies. */
const walkOf = (waitsFor: readonly (readonly number[])[], selections: readonly Int32Array[] = []): Walk => {
  const writer = new ListsWriter(waitsFor.length, waitsFor.length + selections.length, 1000);
  for (const list of waitsFor) {
    for (const item of list) writer.add(item);
    writer.next();
  }
  return walk(explicitGraph(waitsFor.length, { lists: writer.done(), selections }));
};

/** A random graph in which each job waits for earlier ones. */
const acyclic = fc
  .array(fc.array(fc.nat({ max: 1000 }), { maxLength: 4 }), { maxLength: 30 })
  .map((lists) => lists.map((list, job) => (job === 0 ? [] : [...new Set(list.map((number) => number % job))])));

test('the level of a job is one more than the highest level of its dependencies', () => {
  fc.assert(
    fc.property(acyclic, (waitsFor) => {
      const { levels, cycles } = walkOf(waitsFor);
      expect(cycles).toEqual([]);
      for (const [job, list] of waitsFor.entries()) {
        expect(levels[job]).toBe(Math.max(-1, ...list.map((other) => levels[other] ?? 0)) + 1);
      }
    }),
  );
});

test('the levels contain every job once, after all of its dependencies', () => {
  fc.assert(
    fc.property(acyclic, (waitsFor) => {
      const levels = byLevel(walkOf(waitsFor).levels);
      expect([...levels.items].toSorted((a, b) => a - b)).toEqual([...waitsFor.keys()]);
      const place = new Map([...levels.items].map((job, at) => [job, at]));
      for (const [job, list] of waitsFor.entries()) {
        for (const other of list) expect(place.get(other)).toBeLessThan(place.get(job) ?? -1);
      }
    }),
  );
});

test('a circle is found exactly if there is one, and each of its jobs waits for the next', () => {
  const any = fc
    .integer({ min: 1, max: 8 })
    .chain((jobs) =>
      fc.array(fc.uniqueArray(fc.nat({ max: jobs - 1 }), { maxLength: 2 }), { minLength: jobs, maxLength: jobs }),
    );
  fc.assert(
    fc.property(any, (waitsFor) => {
      const { cycles } = walkOf(waitsFor);
      const reaches = (from: number, to: number, seen = new Set<number>()): boolean =>
        (waitsFor[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
      expect(cycles.length > 0).toBe(waitsFor.some((_, job) => reaches(job, job)));
      for (const cycle of cycles) {
        for (const [at, job] of cycle.entries()) expect(waitsFor[job]).toContain(cycle[(at + 1) % cycle.length]);
      }
    }),
  );
});

describe('a selection between jobs', () => {
  it('a selection counts as its jobs, and not as a level', () => {
    expect([...walkOf([[], [], [3], []], [Int32Array.of(0, 1)]).levels]).toEqual([0, 0, 1, 0]);
    expect([...walkOf([[], [], [4], [2]], [Int32Array.of(0, 1)]).levels]).toEqual([0, 0, 1, 2]);
  });

  it('a selection that contains the job itself is a circle of one', () => {
    expect(walkOf([[], [2]], [Int32Array.of(0, 1)]).cycles).toEqual([[1]]);
  });
});

it('a long chain is walked', () => {
  const { levels } = walkOf(Array.from({ length: 1000 }, (_, job) => (job === 0 ? [] : [job - 1])));
  expect(levels[999]).toBe(999);
});

describe('a circle', () => {
  const name = (job: number): string => `j${job}`;

  it('a circle is shown as jobs that each wait for the next', () => {
    expect(cycleText([0, 1, 2], name)).toBe('j0 → j1 → j2 → j0');
    expect(cycleText([7], name)).toBe('j7 → j7');
  });

  it('a circle of many jobs is shortened in the middle', () => {
    const text = cycleText([...Array(100).keys()], name);
    expect(text).toMatch(/^j0 → j1 → .* → … 81 more … → j99 → j0$/);
  });
});
