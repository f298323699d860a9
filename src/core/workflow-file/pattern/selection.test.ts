import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { NameIndex } from './name-index.ts';
import { UNREAD } from '../shape/check.ts';
import { namePattern, PatternMalformed } from './pattern.ts';
import { Selections } from './selection.ts';

const over = (names: readonly string[]): Selections => {
  const nameAt = (index: number): string => names[index] ?? '';
  return new Selections({ length: names.length, nameAt, index: new NameIndex(names.length, nameAt) });
};

test('each selection contains exactly the matching names, in order', () => {
  const name = fc
    .tuple(fc.constantFrom('work_', 'wo', 'x_'), fc.nat({ max: 12 }))
    .map(([stem, number]) => `${stem}${number}`);
  const pattern = fc.constantFrom('^work_1', '^work_1$', '^work_\\d+$', '1', '^wo', '', '^x_1?$', '^none');
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.array(pattern), (names, patterns) => {
      const selections = over(names);
      const numbers = patterns.map((text) => selections.numberOf(text));
      selections.select();
      for (const [at, text] of patterns.entries()) {
        const own = namePattern(text);
        const expected = names.flatMap((one, index) => (own.matches(one) ? [index] : []));
        expect([...selections.membersOf(Number(numbers[at]))]).toEqual(expected);
      }
    }),
  );
});

it('the same pattern is evaluated once, however often it is written', () => {
  const selections = over(['a']);
  expect([selections.numberOf('a'), selections.numberOf('b'), selections.numberOf('a')]).toEqual([0, 1, 0]);
});

it('an invalid pattern is reported with its reason each time', () => {
  const selections = over([]);
  expect(selections.numberOf('[')).toBeInstanceOf(PatternMalformed);
  expect(selections.numberOf('[')).toBe(selections.numberOf('['));
});

it('more comparisons than a minute permits are refused, and none is executed', () => {
  const many = { length: 300_000_000, nameAt: (index: number) => `j${index}`, index: new NameIndex(0, () => '') };
  const selections = new Selections(many);
  const [loose, exact] = [selections.numberOf('x'), selections.numberOf('^j1$')];
  selections.select();
  expect(selections.isTooMany).toBe(true);
  expect([selections.membersOf(Number(loose)), selections.membersOf(Number(exact))]).toEqual([
    new Int32Array(),
    new Int32Array(),
  ]);
});

it('names of a million letters count as much as they take: more than two billion are refused', () => {
  const long = 'x'.repeat(1_000_000);
  const selections = new Selections({ length: 3_000, nameAt: () => long, index: new NameIndex(0, () => '') });
  for (let each = 0; each < 2_500; each += 1) selections.numberOf(`^x[0-9]${each}`);
  selections.select();
  expect(selections.isTooMany).toBe(true);
});

it('while many patterns are compared with many names, the number of names so far is reported', () => {
  const selections = over(Array.from({ length: 1_000 }, (_, index) => `job_${index}`));
  for (let each = 0; each < 250; each += 1) selections.numberOf(`_${each}$`);
  const reported: number[][] = [];
  selections.select((names, of) => reported.push([names, of]));
  expect(reported).toEqual([
    [400, 1_000],
    [800, 1_000],
  ]);
  const few = over(['a', 'b']);
  few.numberOf('a');
  few.select(() => expect.fail('two comparisons take no time'));
});

it('a record without a name is never selected', () => {
  const selections = over(['a', UNREAD]);
  const number = selections.numberOf('');
  selections.select();
  expect([...selections.membersOf(Number(number))]).toEqual([0]);
});
