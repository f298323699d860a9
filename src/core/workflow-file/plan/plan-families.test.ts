import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { planned } from '../../../../tests/spec/reading.ts';
import { createFamilyBuilder } from '../../lifecycle/families/families.ts';
import { planFamilies } from './plan-families.ts';

const familiesOf = (spec: object) => {
  const { families, edges } = planFamilies(planned(spec));
  const names = new Map(families.map(({ key, name }) => [key, name]));
  return {
    families: families.map(({ name, jobs }) => `${name} ${jobs}`),
    edges: edges.map(({ from, to }) => `${names.get(from)}>${names.get(to)}`).toSorted(),
  };
};

it('the families of a file follow its names, its patterns and its files', () => {
  expect(
    familiesOf({
      name: 'w',
      jobs: [
        { name: 'prepare', command: 'x', output_files: ['ref'] },
        { name: 'align_{i}', command: 'x', input_files: ['ref'], output_files: ['bam_{i}'], parameters: { i: '1:40' } },
        { name: 'call_{i}', command: 'x', input_files: ['bam_{i}'], parameters: { i: '1:40' } },
        { name: 'collect', command: 'x', depends_on_regexes: ['^call_'] },
      ],
      files: [
        { name: 'ref', path: 'ref' },
        { name: 'bam_{i}', path: 'bam/{i}', parameters: { i: '1:40' } },
      ],
    }),
  ).toEqual({
    families: ['prepare 1', 'align_# 40', 'call_# 40', 'collect 1'],
    edges: ['align_#>call_#', 'call_#>collect', 'prepare>align_#'],
  });
});

it('a thousand jobs that wait for the same thousand are two families', () => {
  const many = { parameters: { i: '1:1000' } };
  const { families, edges } = familiesOf({
    name: 'w',
    jobs: [
      { name: 'make_{i}', command: 'x', ...many },
      { name: 'read_{i}', command: 'x', depends_on_regexes: ['^make_'], ...many },
    ],
  });
  expect([families, edges]).toEqual([['make_# 1000', 'read_# 1000'], ['make_#>read_#']]);
});

test('the families of a plan are those that the workflow will have, with the same keys and edges', () => {
  const size = 8;
  const name = fc.constantFrom('a', 'b_1', 'b_2', 'b_3', 'c_1', 'c_2');
  fc.assert(
    fc.property(
      fc.array(name, { minLength: size, maxLength: size }),
      fc.uniqueArray(
        fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).filter(([from, to]) => from < to),
        { selector: String, maxLength: 12 },
      ),
      (words, pairs) => {
        const names = words.map((word, index) => `${word}_${index}`);
        const jobs = names.map((each, index) => ({
          name: each,
          command: 'x',
          depends_on: pairs.filter(([, to]) => to === index).map(([from]) => names[from] as string),
        }));
        const builder = createFamilyBuilder();
        for (const [index, each] of names.entries()) builder.addJob(index + 1, each, 0);
        for (const [index] of names.entries())
          for (const [from, to] of pairs) if (to === index) builder.addDependency(to + 1, from + 1);
        const steps = builder.finish();
        let step = steps.next();
        while (step.done !== true) step = steps.next();
        const stored = step.value;
        const keyAt = (position: number) => stored.families[position]?.key;
        const { families, edges } = planFamilies(planned({ name: 'w', jobs }));
        expect(families.map(({ key, jobs: count }) => [key, count])).toEqual(
          stored.families.map(({ key, jobs: count }) => [key, count]),
        );
        expect(edges.map(({ from, to }) => `${from}>${to}`).toSorted()).toEqual(
          stored.edges.map(({ from, to }) => `${keyAt(from)}>${keyAt(to)}`).toSorted(),
        );
      },
    ),
  );
});
