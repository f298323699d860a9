import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { sequence } from '../../lists/sequence.ts';
import { combine } from './axes.ts';
import { SpecFamilies } from './family.ts';

const familiesOf = (counts: readonly number[]): SpecFamilies<{ name: string }> =>
  new SpecFamilies(
    counts.map((_, at) => ({ name: `f${at}_{i}` })),
    ({ name }) => name,
    counts.map((length) => {
      const axes = combine([{ name: 'i', values: sequence(length, (index) => index) }], 'product');
      return { axes, count: axes.count };
    }),
  );

test('an instance read by its number equals the one found by counting', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 4 }), { maxLength: 8 }), (counts) => {
      const families = familiesOf(counts);
      const counted = counts.flatMap((count, at) => Array.from({ length: count }, (_, index) => `f${at}_${index}`));
      expect(families).toHaveLength(counted.length);
      expect(counted.map((_, index) => families.nameAt(index))).toEqual(counted);
      expect(counted.map((_, index) => families.at(index).family.at)).toEqual(
        counts.flatMap((count, at) => Array.from({ length: count }, () => at)),
      );
    }),
  );
});

it('a family has no instance after its last', () => {
  expect(() => familiesOf([]).nameAt(0)).toThrow(RangeError);
  expect(() => familiesOf([1, 1]).nameAt(2)).toThrow(RangeError);
});
