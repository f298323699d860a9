import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { statusCode } from '../../contract/job.ts';
import { createFamilyBuilder, type GroupedFamilies, positionIn } from './families.ts';

interface Sketch {
  readonly name: string;
  readonly after?: readonly number[];
  readonly status?: number;
}

/** Jobs get the ids 1, 2, 3 …, or others that ascend; `after` names earlier or later ones by their place, from 1. */
function familiesOf(jobs: readonly Sketch[], idOf = (place: number) => place): GroupedFamilies {
  const builder = createFamilyBuilder();
  for (const [index, { name, status = 0 }] of jobs.entries()) builder.addJob(idOf(index + 1), name, status);
  for (const [index, { after = [] }] of jobs.entries())
    for (const place of after) builder.addDependency(idOf(index + 1), idOf(place));
  const steps = builder.finish();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
const shown = (jobs: readonly Sketch[]) => {
  const { families, edges } = familiesOf(jobs);
  return {
    families: families.map(({ pattern, jobs: count }) => `${pattern} ${count}`),
    edges: edges.map(({ from, to, dependencies }) => `${from}->${to} ${dependencies}`).toSorted(),
  };
};

it('the jobs of one template are one family, and dependencies between two families are counted', () => {
  expect(
    shown([
      { name: 'setup' },
      { name: 'work_1', after: [1] },
      { name: 'work_2', after: [1] },
      { name: 'work_0.5', after: [1] },
      { name: 'collect', after: [2, 3, 4] },
    ]),
  ).toEqual({ families: ['setup 1', 'work_# 3', 'collect 1'], edges: ['0->1 3', '1->2 3'] });
});

it('jobs with the same name without numbers and other dependencies are another family', () => {
  expect(shown([{ name: 'step_1' }, { name: 'step_2', after: [1] }, { name: 'step_3', after: [2] }])).toEqual({
    families: ['step_# 1', 'step_# 2'],
    edges: ['0->1 1', '1->1 1'],
  });
});

it('a family keeps its key when jobs are added, and counts its jobs by status', () => {
  const before = familiesOf([{ name: 'a_1' }, { name: 'b', after: [1] }]);
  const { families } = familiesOf([
    { name: 'first' },
    { name: 'a_7', status: statusCode.completed },
    { name: 'a_8', status: statusCode.failed },
    { name: 'b', after: [2, 3] },
  ]);
  expect(families.slice(1).map(({ key }) => key)).toEqual(before.families.map(({ key }) => key));
  expect(families[1]?.byStatus[statusCode.completed]).toBe(1);
  expect(families[1]?.byStatus[statusCode.failed]).toBe(1);
  expect(new Set(families.map(({ key }) => key)).size).toBe(3);
});

it('a dependency on a job that is not there is left out', () => {
  expect(shown([{ name: 'a', after: [9] }])).toEqual({ families: ['a 1'], edges: [] });
});

const jobs = fc.array(
  fc.record({
    name: fc.tuple(fc.constantFrom('a', 'b', 'c_'), fc.nat(30)).map(([word, number]) => `${word}${number}`),
    after: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }),
    status: fc.nat(10),
  }),
  { maxLength: 20 },
);

it('every job is in exactly one family, every status and every dependency is counted once', () => {
  fc.assert(
    fc.property(jobs, (list) => {
      const { families, edges, ids, familyOf } = familiesOf(list);
      expect(ids).toEqual(list.map((_, index) => index + 1));
      for (const [position, family] of families.entries()) {
        expect(familyOf.filter((each) => each === position)).toHaveLength(family.jobs);
        expect(family.byStatus.reduce((sum, each) => sum + each, 0)).toBe(family.jobs);
        expect(familyOf[family.firstJobId - 1]).toBe(position);
      }
      const known = list.flatMap(({ after }) => after.filter((id) => id <= list.length));
      expect(edges.reduce((sum, { dependencies }) => sum + dependencies, 0)).toBe(known.length);
    }),
  );
});

it('a number is found in an ascending list exactly if it is there', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), fc.nat(50), (numbers, wanted) => {
      const list = numbers.toSorted((one, other) => one - other);
      expect(positionIn(list, wanted)).toBe(list.indexOf(wanted));
    }),
  );
});

test('the ids of jobs do not matter, with gaps between them or without', () => {
  const sketch = fc.record({
    name: fc.constantFrom('a', 'b_1', 'b_2', 'c'),
    after: fc.array(fc.integer({ min: 1, max: 12 })),
  });
  const jobs = fc.array(sketch, { maxLength: 10 });
  fc.assert(
    fc.property(
      jobs,
      fc.integer({ min: 0, max: 1_000 }),
      fc.array(fc.nat(3), { minLength: 12 }),
      (list, first, gaps) => {
        const idOf = (place: number) => first + gaps.slice(0, place).reduce((sum, gap) => sum + gap + 1, 0);
        const { families, edges } = familiesOf(list, idOf);
        const dense = familiesOf(list);
        expect(families.map(({ key, jobs: count, firstJobId }) => [key, count, firstJobId])).toEqual(
          dense.families.map(({ key, jobs: count, firstJobId }) => [key, count, idOf(firstJobId)]),
        );
        expect(edges).toEqual(dense.edges);
      },
    ),
  );
});
